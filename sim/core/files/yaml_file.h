#pragma once

#include <string>

#include "sim/core/input/yaml_tree.h"

namespace simtrain {

/// Reads a YAML file. Throws InputError where the file cannot be read or load_yaml_text() refuses
/// what it holds.
YamlNode load_yaml_file(const std::string& path);

}  // namespace simtrain
