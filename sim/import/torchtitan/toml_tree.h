#pragma once

#include <string>

#include "sim/core/input/yaml_tree.h"

namespace simtrain {

/// A TOML file as the tree that YAML files make, with the places of its values. Throws InputError
/// where it is no TOML.
YamlNode load_toml_text(const std::string& text, const std::string& name);

}  // namespace simtrain
