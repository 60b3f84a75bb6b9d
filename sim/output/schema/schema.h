#pragma once

#include <string>
#include <vector>

#include "sim/core/files/data_folder.h"

namespace simtrain {

/// What has a schema: the kinds of files of a data folder ("scenario", "gpu", "node", ...) and of
/// JSON results ("result", "nccl").
const std::vector<std::string>& schema_names();

/// JSON Schema (draft 2020-12) of one kind, as printed. Keys, types, limits, units and names are
/// those that the strict reader reads by; names of files are those of the folder. Throws InputError
/// where there is no such kind.
std::string json_schema(const DataFolder& data, const std::string& kind);

}  // namespace simtrain
