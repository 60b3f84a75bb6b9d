#pragma once

#include <vector>

#include "sim/import/terms/key_table.h"

namespace simtrain {

/// The keys of a Megatron-Bridge configuration; `precision_map` where `mixed_precision` is a map in
/// place of a recipe's name.
std::vector<KeyRow> bridge_keys(bool precision_map);

/// What a configuration says, with Megatron-Bridge's defaults. `unset` is of values that are
/// variables of a script.
RecipeReading bridge_reading(const YamlNode& tree, WithoutValue unset);

}  // namespace simtrain
