#pragma once

#include "sim/import/recipe_format.h"
#include "sim/import/terms/key_table.h"

namespace simtrain {

/// A torchtitan job configuration as its tree, with torchtitan's defaults. `model.name` and
/// `model.flavor` name its model. Throws InputError where it asks for what is not simulated.
RecipeReading read_torchtitan(YamlNode tree, const RecipeRequest& request);

}  // namespace simtrain
