#include "sim/import/yaml_recipe.h"

#include <string>

#include "sim/import/nemo/hydra.h"

namespace simtrain {

bool has_top_key(std::string_view text, std::string_view key) {
  const std::string line = std::string(key) + ":";
  return text.starts_with(line) || text.find("\n" + line) != std::string_view::npos;
}

YamlNode load_yaml_recipe(const ImportFile& file, const RecipeRequest& request) {
  YamlNode tree = load_yaml_text(file.text, file.path);
  if (tree.kind != YamlNode::Kind::map)
    throw InputError({file.path}, "", "is no map of keys; a recipe was expected");
  tree = composed(tree, file.path);
  apply_overrides(tree, request.overrides);
  return tree;
}

}  // namespace simtrain
