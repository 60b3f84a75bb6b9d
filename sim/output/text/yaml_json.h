#pragma once

#include <nlohmann/json.hpp>

#include "sim/core/input/yaml_tree.h"

namespace simtrain {

/// A YAML value as JSON: maps, lists, `true` and `false`, whole and real numbers as such,
/// everything else as text, a quantity with its unit too. As YAML it is read as the value was.
nlohmann::ordered_json yaml_json(const YamlNode& node);

}  // namespace simtrain
