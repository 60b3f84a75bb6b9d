#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/core/input/yaml_tree.h"

namespace simtrain {

/// What the place of an override's value starts with, in place of a file.
inline constexpr std::string_view kOverridePlace = "--override ";

/// A tree with the files of its `defaults` list below (or, for entries after `_self_`, over)
/// it, as Hydra composes them: `NAME` is NAME.yaml in the folder of `path`, `GROUP: NAME` is
/// GROUP/NAME.yaml, put under the key GROUP. `override hydra/...` and `optional` entries that name
/// no file are left out. Throws InputError where a file is missing or they include each other in a
/// circle.
YamlNode composed(const YamlNode& tree, const std::string& path);

/// Hydra's overrides, in order: `KEY=VALUE` changes a key that is there, `+KEY=VALUE` adds one,
/// `++KEY=VALUE` does either, `~KEY` takes one away. A leading `training.` or `recipes.` of
/// launchers is left out where the file has no such key. Throws InputError at anything else.
void apply_overrides(YamlNode& tree, const std::vector<std::string>& overrides);

}  // namespace simtrain
