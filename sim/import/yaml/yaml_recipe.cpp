#include "sim/import/yaml/yaml_recipe.h"

#include <algorithm>
#include <string>

#include "sim/import/yaml/hydra.h"

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

void reword(YamlNode& tree, std::string_view key,
            std::initializer_list<std::pair<std::string_view, std::string_view>> words) {
  YamlNode* node = &tree;
  for (std::size_t begin = 0; node != nullptr && begin <= key.size();) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    node = node->find(key.substr(begin, end - begin));
    begin = end + 1;
  }
  if (node == nullptr || node->kind != YamlNode::Kind::scalar) return;
  for (const auto& [written, meant] : words) {
    if (node->text != written) continue;
    if (meant.empty()) node->kind = YamlNode::Kind::null;
    node->text = meant;
    return;
  }
}

}  // namespace simtrain
