#pragma once

#include <string>

#include "sim/import/terms/finding.h"
#include "sim/import/terms/recipe_terms.h"

namespace simtrain {

/// Puts the section `offload` of a scenario, where a recipe keeps something on hosts.
void put_offload(const RecipeTerms& terms, const PutFinding& put);

}  // namespace simtrain
