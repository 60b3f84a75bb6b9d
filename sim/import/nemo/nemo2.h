#pragma once

#include <span>

#include "sim/import/terms/key_table.h"

namespace simtrain {

/// The keys of a NeMo 2 run configuration.
std::span<const KeyRow> nemo2_keys();

/// What a configuration says, with NeMo 2's defaults but for those of its callbacks.
RecipeReading nemo2_reading(const YamlNode& tree);

}  // namespace simtrain
