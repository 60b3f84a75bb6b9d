#include "sim/import/plan/term_tree.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/core/input/text_parts.h"
#include "sim/core/input/yaml_text.h"

namespace simtrain {
namespace {

YamlNode node_of(std::int64_t value) { return written_node(std::to_string(value)); }
YamlNode node_of(double value) { return written_node(fmt::format("{}", value)); }
YamlNode node_of(bool value) { return written_node(value ? "true" : "false"); }
YamlNode node_of(const std::string& value) { return written_node(value); }
YamlNode node_of(const YamlNode& value) { return value; }

/// Writes the term of a row and takes it out of `left`, unless it is out already.
class TermWriter {
 public:
  TermWriter(YamlNode& tree, RecipeTerms left) : tree_(tree), left_(std::move(left)) {}

  void write(const KeyRow& row) {
    std::visit([&](const auto& meaning) { take(row.key, meaning); }, row.meaning);
  }

 private:
  template <class T>
  void take(std::string_view key, std::optional<Given<T>> RecipeTerms::*term) {
    std::optional<Given<T>>& given = left_.*term;
    if (!given) return;
    set_yaml_value(tree_, key, node_of(given->value));
    given.reset();
  }
  static void take(std::string_view /*key*/, const Ignored& /*row*/) {}
  static void take(std::string_view /*key*/, const Refused& /*row*/) {}
  static void take(std::string_view /*key*/, const NotSimulated& /*row*/) {}

  YamlNode& tree_;
  RecipeTerms left_;
};

}  // namespace

YamlNode written_node(std::string text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = std::move(text);
  return node;
}

YamlNode term_tree(const RecipeTerms& terms, std::span<const KeyRow> rows,
                   std::span<const std::string_view> also) {
  YamlNode tree;
  tree.kind = YamlNode::Kind::map;
  TermWriter first(tree, terms);
  TermWriter second(tree, terms);
  for (const KeyRow& row : rows) {
    if (row.key.ends_with('*')) continue;
    first.write(row);
    if (std::find(also.begin(), also.end(), row.key) != also.end()) second.write(row);
  }
  return tree;
}

void write_as_list(YamlNode& tree, std::string_view key) {
  const YamlNode* known = find_yaml_value(tree, key);
  if (known == nullptr || known->kind != YamlNode::Kind::scalar) return;
  YamlNode list;
  list.kind = YamlNode::Kind::list;
  for (const std::string_view word : split(known->text, ','))
    list.items.push_back(written_node(std::string(word)));
  set_yaml_value(tree, key, std::move(list));
}

std::string written_yaml(const YamlNode& tree, const std::string& comment) {
  return comment + block_text(tree);
}

}  // namespace simtrain
