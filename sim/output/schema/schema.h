#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/core/files/data_folder.h"

namespace simtrain {

/// What has a schema: the kinds of YAML files that the program reads ("scenario", "gpu", "node",
/// ...) and of JSON documents that it prints ("result", "nccl", ...).
const std::vector<std::string>& schema_names();

/// JSON Schema (draft 2020-12) of one kind, as printed. Keys, types, limits, units and names are
/// those that the strict reader reads by; names of files are those of the folder. Throws InputError
/// where there is no such kind.
std::string json_schema(const DataFolder& data, const std::string& kind);

/// How the file of a kind's schema is called: "scenario.json".
std::string schema_file_name(const std::string& kind);

/// Whether a file starts as a schema that was printed here.
bool is_own_schema(std::string_view start);

/// Settings of VS Code (YAML extension) that say which files of a data folder are of which kind,
/// the schemas being files of `folder`.
std::string editor_settings(const std::string& folder);

}  // namespace simtrain
