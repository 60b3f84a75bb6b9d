#pragma once

#include "sim/import/terms/finding.h"
#include "sim/import/terms/recipe_terms.h"

namespace simtrain {

/// `training.global_batch_size` of a recipe whose batch grows: the batch of the run's last step, as
/// far as the recipe gives the length of the run, else the one at which the growth ends. The terms
/// must hold a global batch and a ramp. Throws InputError where the ramp is not three counts that
/// lead to the global batch.
Finding ramped_batch(const RecipeTerms& terms);

}  // namespace simtrain
