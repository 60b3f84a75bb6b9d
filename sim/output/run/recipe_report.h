#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/run/results/resolved_recipe.h"

namespace simtrain {

/// A recipe as the map that a scenario file holds, its model's shape as `model_overrides`: saved as
/// a file, it simulates the same step.
nlohmann::ordered_json recipe_json(const ResolvedRecipe& recipe);

/// The same by dotted keys, values as YAML on one line.
struct RecipeRow {
  std::string key;
  std::string value;
};
std::vector<RecipeRow> recipe_rows(const ResolvedRecipe& recipe);

/// The same as YAML, a key a line, indented by `indent`; texts are broken at 80 columns.
std::string recipe_yaml(const ResolvedRecipe& recipe, std::size_t indent);

}  // namespace simtrain
