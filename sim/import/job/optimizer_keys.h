#pragma once

#include "sim/import/terms/finding.h"
#include "sim/import/terms/recipe_terms.h"

namespace simtrain {

/// Puts what the optimizer keeps its state in, where a recipe asks for a precision-aware optimizer
/// or for moments of another type than FP32.
void put_optimizer_state(const RecipeTerms& terms, const PutFinding& put);

}  // namespace simtrain
