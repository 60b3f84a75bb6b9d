#pragma once

#include <string>

#include "sim/import/formats/recipe_format.h"
#include "sim/import/terms/recipe_terms.h"

namespace simtrain {

inline const std::string kMaxTextBase = "MaxText's base.yml";

/// `global_parameter_scale`: shapes that grow by a power of two (MaxText's pyconfig.py,
/// get_individual_scales). Heads and FFN double first, then the hidden size, then the layers, and
/// again. Throws InputError where it is no power of two.
void settle_scale(RecipeTerms& terms, const YamlNode& tree);

/// The shape of base.yml, for what a recipe that names no model leaves to it.
void add_base_shape(RecipeTerms& terms, const RecipeRequest& request);

}  // namespace simtrain
