#include "sim/import/torchtitan/toml_tree.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace simtrain {
namespace {

SourcePlace place_of(const toml::source_region& region, const std::string& name) {
  return {name, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

std::string scalar_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return "a date or time";
}

YamlNode tree_of(const toml::node& node, const std::string& name);

/// The library keeps a table's keys sorted; a recipe is read in the order of its lines.
void add_entries(YamlNode& tree, const toml::table& table, const std::string& name) {
  for (const auto& [key, value] : table) {
    tree.entries.push_back(
        {std::string(key.str()), place_of(key.source(), name), tree_of(value, name)});
  }
  std::stable_sort(
      tree.entries.begin(), tree.entries.end(), [](const YamlEntry& a, const YamlEntry& b) {
        return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
      });
}

YamlNode tree_of(const toml::node& node, const std::string& name) {
  YamlNode tree;
  tree.place = place_of(node.source(), name);
  if (const auto* table = node.as_table()) {
    tree.kind = YamlNode::Kind::map;
    add_entries(tree, *table, name);
  } else if (const auto* array = node.as_array()) {
    tree.kind = YamlNode::Kind::list;
    tree.items.reserve(array->size());
    for (const toml::node& item : *array) tree.items.push_back(tree_of(item, name));
  } else {
    tree.kind = YamlNode::Kind::scalar;
    tree.text = scalar_of(node);
  }
  return tree;
}

}  // namespace

YamlNode load_toml_text(const std::string& text, const std::string& name) {
  try {
    const toml::table table = toml::parse(std::string_view(text));
    return tree_of(table, name);
  } catch (const toml::parse_error& error) {
    throw InputError(place_of(error.source(), name), "",
                     "is no TOML: " + std::string(error.description()));
  }
}

}  // namespace simtrain
