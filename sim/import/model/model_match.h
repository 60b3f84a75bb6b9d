#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/files/data_folder.h"
#include "sim/import/terms/finding.h"
#include "sim/import/terms/recipe_terms.h"
#include "sim/workload/model/model_spec.h"

namespace simtrain {

/// The shape keys of a model file (all but name and source) and their values as text; those that
/// it has not and that have no value then are empty.
std::vector<Finding> shape_of(const ModelSpec& model);

/// The shape that a recipe gives, in the order of `shape_of`; what it neither gives nor leaves to a
/// default of Megatron Core is missing. `tp` pads the vocabulary.
std::vector<Finding> shape_of(const RecipeTerms& terms, std::int64_t tp);

/// What the matching needs beside the shape.
struct ModelMatch {
  std::optional<std::string> base;  ///< the model to differ from; else the nearest is looked for
  std::string base_origin;          ///< where it was given
  GivenKeys given;
  SourcePlace where;
  std::string name = "own";  ///< of a model that only the recipe has, as YAML
};

/// The finding `model` and one `model_overrides.KEY` for each key in which the recipe's shape
/// differs from it. Without a base the model of scenarios/models with the fewest differences is
/// taken, if hidden size, FFN, heads, experts, multi-latent attention and Mamba are equal; a
/// vocabulary that the recipe does not give is then that model's, or, of several that differ in it,
/// that of the one that the recipe is called by. Where none is near, the findings
/// are `model.KEY`, as the recipe gives them. A base that is no name there (a path, a map) is taken
/// as it is. Throws InputError where the shape is not whole.
std::vector<Finding> match_model(std::vector<Finding> shape, const ModelMatch& match,
                                 const DataFolder& data);

/// The same of a recipe: its shape, completed by what a class or the model that it is based on
/// leaves it silent about. `tp` pads the vocabulary.
std::vector<Finding> model_of_recipe(RecipeTerms terms, const ModelMatch& match, std::int64_t tp,
                                     const DataFolder& data);

/// Whether the model that such findings name has experts. Where they name a file elsewhere, the
/// recipe decides.
bool names_mixture(const std::vector<Finding>& model, const RecipeTerms& terms,
                   const DataFolder& data);

/// Whether a key of the shape may be missing from a model file.
bool is_optional_shape_key(std::string_view key);

/// Whether a model file says the same without a key that may be missing.
bool is_usual(const Finding& given);

}  // namespace simtrain
