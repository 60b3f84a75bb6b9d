#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/core/files/data_folder.h"

namespace simtrain {

/// A kind of YAML file that the program reads, and what its files may hold.
struct FileSchema {
  std::string name;                ///< "scenario", "gpu"
  std::vector<std::string> files;  ///< of a data folder, as patterns: "hardware/gpus/*.yaml"
  std::function<nlohmann::ordered_json(const DataFolder&)> schema;
};

/// All of them.
const std::vector<FileSchema>& file_schemas();

/// The head of a schema.
nlohmann::ordered_json schema_head(std::string_view kind, std::string_view title);

}  // namespace simtrain
