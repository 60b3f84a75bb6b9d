#include "sim/core/input/number_key.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/scalar_text.h"
#include "sim/core/suggestion.h"

namespace simtrain {
namespace {

/// One step of a key: a name, and what a row must hold to be picked.
struct Step {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string_view>> fields;
};

bool answers(const YamlNode& row, const Step& step) {
  return std::all_of(step.fields.begin(), step.fields.end(), [&](const auto& field) {
    const YamlNode* value = row.find(field.first);
    return value != nullptr && value->text == field.second;
  });
}

/// A key being looked up, for messages.
struct Lookup {
  std::string_view key;
  const SourcePlace& where;

  [[noreturn]] void fail(const std::string& sentence) const {
    throw InputError(where, std::string(key), sentence);
  }

  /// The text up to `end`; `rest` then starts behind it.
  std::string_view take(std::string_view& rest, char end) const {
    const std::size_t at = rest.find(end);
    if (at == rest.npos) fail("is not a dotted key with rows as [field=text]");
    const std::string_view text = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    return text;
  }

  /// The first step of `rest`, which loses it.
  Step step(std::string_view& rest) const {
    const std::size_t end = rest.find_first_of(".[");
    Step result{rest.substr(0, end), {}};
    rest.remove_prefix(std::min(end, rest.size()));
    while (rest.starts_with('[')) {
      rest.remove_prefix(1);
      const std::string_view field = take(rest, '=');
      result.fields.emplace_back(field, take(rest, ']'));
    }
    const bool ends_well = rest.empty() || (rest.starts_with('.') && rest.size() > 1);
    if (result.name.empty() || !ends_well) fail("is not a dotted key with rows as [field=text]");
    rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
    return result;
  }

  YamlNode& child(YamlNode& node, std::string_view name) const {
    YamlNode* next = node.find(name);
    if (next != nullptr) return *next;
    std::vector<std::string> known;
    known.reserve(node.entries.size());
    for (const YamlEntry& entry : node.entries) known.push_back(entry.key);
    fail(fmt::format("{} has no '{}'; {}", node.place.file, name,
                     known.empty() ? "no keys are there" : suggestion(name, known)));
  }

  YamlNode& row(YamlNode& list, const Step& step) const {
    YamlNode* found = nullptr;
    for (YamlNode& item : list.items) {
      if (!answers(item, step)) continue;
      if (found != nullptr) fail(fmt::format("more than one row of '{}' is that", step.name));
      found = &item;
    }
    if (found == nullptr) fail(fmt::format("no row of '{}' is that", step.name));
    return *found;
  }
};

/// The row of a list that a step picks; nullptr where none or more than one answers.
const YamlNode* only_row(const YamlNode& list, const Step& step) {
  const YamlNode* found = nullptr;
  for (const YamlNode& item : list.items) {
    if (!answers(item, step)) continue;
    if (found != nullptr) return nullptr;
    found = &item;
  }
  return found;
}

/// The node under the key, a value with its source as the map of both.
YamlNode& keyed(YamlNode& root, const Lookup& lookup) {
  YamlNode* node = &root;
  std::string_view rest = lookup.key;
  do {
    const Step step = lookup.step(rest);
    node = &lookup.child(*node, step.name);
    if (!step.fields.empty()) node = &lookup.row(*node, step);
  } while (!rest.empty());
  return *node;
}

bool has_source(const YamlNode& node) {
  return node.kind == YamlNode::Kind::map && node.find("source") != nullptr;
}

YamlNode text_node(const std::string& text, const SourcePlace& place) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.place = place;
  node.text = text;
  return node;
}

void set_written(YamlNode& root, const NumberOverride& number) {
  const Lookup lookup{number.key, number.where};
  if (find_keyed(root, number.key, number.where) == nullptr &&
      number.key.find('[') == number.key.npos) {
    set_yaml_value(root, number.key + ".value", *number.written, number.where);
    set_yaml_value(root, number.key + ".source", text_node(number.source, number.where));
    return;
  }
  YamlNode& node = keyed(root, lookup);
  if (!has_source(node)) {
    node = *number.written;
    return;
  }
  lookup.child(node, "value") = *number.written;
  *node.find("source") = text_node(number.source, number.where);
}

}  // namespace

YamlNode& find_number(YamlNode& root, std::string_view key, const SourcePlace& where) {
  const Lookup lookup{key, where};
  YamlNode* node = &keyed(root, lookup);
  if (has_source(*node)) node = &lookup.child(*node, "value");
  if (node->kind != YamlNode::Kind::scalar)
    lookup.fail("must name a number, found " + found(*node));
  return *node;
}

const YamlNode* find_keyed(const YamlNode& root, std::string_view key, const SourcePlace& where) {
  const Lookup lookup{key, where};
  const YamlNode* node = &root;
  std::string_view rest = key;
  do {
    const Step step = lookup.step(rest);
    node = node->find(step.name);
    if (node != nullptr && !step.fields.empty()) node = only_row(*node, step);
    if (node == nullptr) return nullptr;
  } while (!rest.empty());
  return node;
}

WrittenNumber written_number(const YamlNode& scalar, const std::string& key) {
  const std::size_t end =
      std::min(scalar.text.find_first_not_of("0123456789.-+eE"), scalar.text.size());
  if (end == 0) scalar_real(scalar, key, {-1e300, 1e300});  // throws: no number
  YamlNode number = scalar;
  number.text.resize(end);
  std::size_t unit = end;
  while (unit < scalar.text.size() && scalar.text[unit] == ' ') ++unit;
  return {scalar_real(number, key, {-1e300, 1e300}), scalar.text.substr(unit)};
}

void set_number(YamlNode& root, const NumberOverride& number) {
  if (number.written) {
    set_written(root, number);
    return;
  }
  YamlNode& scalar = find_number(root, number.key, number.where);
  const std::string unit = written_number(scalar, number.key).unit;
  scalar.text = fmt::format("{}{}{}", number.value, unit.empty() ? "" : " ", unit);
}

}  // namespace simtrain
