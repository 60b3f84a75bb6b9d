#pragma once

#include "sim/core/input/input_error.h"
#include "sim/import/terms/finding.h"
#include "sim/import/terms/recipe_terms.h"

namespace simtrain {

/// A term as the recipe says it; the key is for the caller to add.
Finding of(const Said<bool>& said);
Finding of(const Said<std::int64_t>& said);

/// What frameworks leave off unless told.
Finding off();

/// Whether a switch is said to be on.
bool holds(const FlagTerm& term);

// Values that several terms decide together. Each throws InputError, with the option that tells the
// value otherwise, where they ask for what is not simulated.

/// `training.precision`; `recipe` is the place to blame where nothing says it.
Finding precision_of(const RecipeTerms& terms, const SourcePlace& recipe);
/// `optimizer.distributed`.
Finding distributed_of(const RecipeTerms& terms);
/// `optimizer.grad_reduce_dtype`.
Finding gradient_type_of(const RecipeTerms& terms);
/// `recompute`.
Finding recompute_of(const RecipeTerms& terms);

}  // namespace simtrain
