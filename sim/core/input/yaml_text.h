#pragma once

#include <string>

#include "sim/core/input/yaml_tree.h"

namespace simtrain {

/// A value as YAML on one line: `[1, 2]`, `{kind: compact}`, `"a: b"`. Values that are read alike
/// have one text, whatever their layout and comments were.
std::string flow_text(const YamlNode& node);

/// The same as a YAML file, a key a line.
std::string block_text(const YamlNode& root);

}  // namespace simtrain
