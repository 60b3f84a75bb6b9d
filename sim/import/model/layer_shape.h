#pragma once

#include <string>
#include <vector>

#include "sim/import/terms/finding.h"
#include "sim/import/terms/recipe_terms.h"
#include "sim/workload/model/model_spec.h"

namespace simtrain {

/// `layers` of a model as its file has them, alike ones that follow each other together; empty
/// where it lists none.
std::string layers_text(const ModelSpec& model);
/// Its `hybrid_override_pattern`; empty where it has none.
std::string hybrid_text(const ModelSpec& model);

/// Whether a recipe's layers have a block: by its hybrid pattern where it has one.
bool has_letter(const RecipeTerms& terms, BlockKind block);

/// Adds the layers of a recipe that are not all gqa and mlp: `layers`, or
/// `hybrid_override_pattern`. Throws InputError where its patterns are not of its layers.
void add_layers(std::vector<Finding>& shape, const RecipeTerms& terms);

/// Fills in what a recipe leaves to the model that it is based on: which layers have experts and
/// windows, also where the recipe has another number of layers.
void complete_layers(RecipeTerms& terms, const ModelSpec& base, const std::string& whose);

/// Whether a model has layers that no recipe's keys say, so that they are left as they are.
bool has_other_layers(const ModelSpec& model);

/// Whether layers of a shape, given by its `layers` and pattern, have an MLP, so that its FFN
/// counts.
bool has_dense_layers(const std::string& layers, const std::string& pattern);

}  // namespace simtrain
