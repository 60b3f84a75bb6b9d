#include "sim/import/torchtitan/toml_tree.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#define TOML_ENABLE_FORMATTERS 0
#include <toml++/impl/preprocessor.h>

namespace {

/// What the library takes for granted of a text is not so.
struct BrokenToml {};
[[noreturn]] void break_off() { throw BrokenToml{}; }

}  // namespace

// The library's parser assumes that a name in brackets starts as names do, and does not look.
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(expr) ((expr) ? void() : break_off())
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

/// The line of the first name in brackets that starts as none can; 0 where there is none.
int line_of_wrong_table(std::string_view text) {
  constexpr std::string_view kStarts =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-\"'";
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t first = line.find_first_not_of(" \t");
    const std::size_t name = line.find_first_not_of("[ \t");
    const bool table = first != std::string_view::npos && line[first] == '[';
    if (table && (name == std::string_view::npos || kStarts.find(line[name]) == kStarts.npos))
      return number;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return 0;
}

}  // namespace

YamlNode load_toml_text(const std::string& text, const std::string& name) {
  try {
    const toml::table table = toml::parse(std::string_view(text));
    return tree_of(table, name);
  } catch (const toml::parse_error& error) {
    throw InputError(place_of(error.source(), name), "",
                     "is no TOML: " + std::string(error.description()));
  } catch (const BrokenToml&) {
    throw InputError({name, line_of_wrong_table(text), 1}, "",
                     "is no TOML: the name of a table starts as none can");
  }
}

}  // namespace simtrain
