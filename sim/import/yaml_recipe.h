#pragma once

#include <string_view>

#include "sim/core/input/yaml_tree.h"
#include "sim/import/recipe_format.h"

namespace simtrain {

/// Whether a line of the text starts with `KEY:`, as the key of a YAML file's outermost map does.
bool has_top_key(std::string_view text, std::string_view key);

/// A recipe in YAML with its `defaults` composed and the request's overrides applied.
YamlNode load_yaml_recipe(const ImportFile& file, const RecipeRequest& request);

}  // namespace simtrain
