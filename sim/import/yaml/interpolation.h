#pragma once

#include <string>
#include <string_view>

#include "sim/core/input/yaml_tree.h"

namespace simtrain {

/// A dotted key of a recipe that NeMo's launcher or SageMaker's puts below one of its own
/// (`training.model.fp8`), without that.
std::string without_launcher(std::string_view key);

/// `value`, found at the dotted `key` of `root`, with OmegaConf's interpolations put in:
/// `${a.b}` from the root, `${.b}` beside the value, `${..b}` one map further out, also inside a
/// text, and `${multiply:x,y,...}`, which NeMo defines. A value without any is returned as it is.
/// Throws InputError at a cycle, a missing key, and any other resolver (`${oc.env:HOME}`), which it
/// names.
YamlNode resolved(const YamlNode& root, const std::string& key, const YamlNode& value);

}  // namespace simtrain
