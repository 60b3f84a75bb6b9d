#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include "sim/core/input/yaml_tree.h"
#include "sim/import/formats/recipe_format.h"

namespace simtrain {

/// Whether a line of the text starts with `KEY:`, as the key of a YAML file's outermost map does.
bool has_top_key(std::string_view text, std::string_view key);

/// A recipe in YAML with its `defaults` composed and the request's overrides applied.
YamlNode load_yaml_recipe(const ImportFile& file, const RecipeRequest& request);

/// Writes the value of a dotted key as the tables of keys take it: `words` are pairs of what a
/// framework writes and what is meant by it; nothing meant leaves the key out.
void reword(YamlNode& tree, std::string_view key,
            std::initializer_list<std::pair<std::string_view, std::string_view>> words);

}  // namespace simtrain
