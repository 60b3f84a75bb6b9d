#pragma once

#include <span>

#include "sim/run/recipe_import/key_table.h"

namespace simtrain {

/// The keys of a NeMo 1 configuration. DLLogger's header holds those below `model` as `cfg/KEY`.
std::span<const KeyRow> nemo1_keys();

/// Fills in what NeMo 1 takes where its configuration is silent.
void add_nemo1_defaults(RecipeTerms& terms);

}  // namespace simtrain
