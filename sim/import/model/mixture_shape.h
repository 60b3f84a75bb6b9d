#pragma once

#include <string>
#include <vector>

#include "sim/import/terms/finding.h"
#include "sim/import/terms/recipe_terms.h"
#include "sim/workload/model/model_spec.h"

namespace simtrain {

/// `experts` of a model as its file has them; empty where it has none.
std::string experts_text(const ModelSpec& model);
/// `layers` of a model, alike ones that follow each other together; empty where it lists none.
std::string layers_text(const ModelSpec& model);

/// Whether a recipe's own keys make a mixture of experts.
bool is_mixture(const RecipeTerms& terms);

/// Adds `experts` and `layers` to the shape of a recipe that is a mixture, which has its FFN
/// already. Throws InputError where the recipe's pattern of layers is not one of its layers.
void add_experts(std::vector<Finding>& shape, const RecipeTerms& terms);

/// Fills in what a recipe leaves to the model that it is based on: the experts of that model, and
/// which layers have them, also where the recipe has another number of layers.
void complete_experts(RecipeTerms& terms, const ModelSpec& base, const std::string& whose);

/// Whether layers of a shape, given by its `layers`, have an MLP, so that its FFN counts.
bool has_dense_layers(const std::string& layers);

}  // namespace simtrain
