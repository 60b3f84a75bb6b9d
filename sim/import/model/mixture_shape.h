#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/import/terms/finding.h"
#include "sim/import/terms/recipe_terms.h"
#include "sim/workload/model/model_spec.h"

namespace simtrain {

/// `experts` of a model as its file has them; empty where it has none.
std::string experts_text(const ModelSpec& model);

/// Whether the experts of a recipe, as such a text, are those of a model; what its router makes of
/// scores counts where the recipe says it.
bool has_experts_of(std::string_view recipe, std::string_view model);

/// Adds `experts` to the shape of a recipe that is a mixture, which has its FFN already.
void add_experts(std::vector<Finding>& shape, const RecipeTerms& terms);

/// Fills in what a recipe leaves to the model that it is based on: the experts of that model.
void complete_experts(RecipeTerms& terms, const ModelSpec& base, const std::string& whose);

}  // namespace simtrain
