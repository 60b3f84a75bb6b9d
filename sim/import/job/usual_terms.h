#pragma once

#include "sim/import/terms/recipe_terms.h"

namespace simtrain {

/// What frameworks have no default of: sequences of 8192 tokens (as `simtrain new` has them), a
/// micro-batch of one, BF16, and a dispatcher that shared experts run beside where they shall.
/// Given to a recipe that does not say it, marked as assumed.
void settle_usual_terms(RecipeTerms& terms);

}  // namespace simtrain
