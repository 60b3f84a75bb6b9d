#include "sim/run/figures/headline.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "sim/core/input/yaml_reader.h"
#include "sim/core/input/yaml_text.h"

namespace simtrain {
namespace {

/// Keys of a scenario that are no part of the recipe, or are printed elsewhere.
constexpr std::array<std::string_view, 4> kLeftOut{"name", "source", "notes", "hardware"};

std::string text_of(const YamlNode* node) {
  if (node == nullptr) return std::string(kNotSet);
  return node->kind == YamlNode::Kind::scalar ? node->text : flow_text(*node);
}

/// Whether the keys below say more than the two values: one is a map, the other a map or missing.
bool have_keys(const YamlNode* before, const YamlNode* after) {
  const auto map = [](const YamlNode* node) {
    return node == nullptr || node->kind == YamlNode::Kind::map;
  };
  return map(before) && map(after) && (before != nullptr || after != nullptr);
}

const YamlNode* below(const YamlNode* map, const std::string& key) {
  return map == nullptr ? nullptr : map->find(key);
}

void add_changes(const YamlNode* before, const YamlNode* after, const std::string& key,
                 std::vector<KeyChange>& changes) {
  if (have_keys(before, after)) {
    const auto inner = [&](const std::string& name) {
      const std::string dotted = yaml_detail::dotted(key, name);
      if (std::find(kLeftOut.begin(), kLeftOut.end(), dotted) == kLeftOut.end())
        add_changes(below(before, name), below(after, name), dotted, changes);
    };
    if (after != nullptr) {
      for (const YamlEntry& entry : after->entries) inner(entry.key);
    }
    if (before == nullptr) return;
    for (const YamlEntry& entry : before->entries) {
      if (below(after, entry.key) == nullptr) inner(entry.key);
    }
    return;
  }
  KeyChange change{key, text_of(before), text_of(after)};
  if (change.from != change.to) changes.push_back(std::move(change));
}

}  // namespace

std::vector<KeyChange> key_changes(const YamlNode& before, const YamlNode& after) {
  std::vector<KeyChange> changes;
  add_changes(&before, &after, "", changes);
  return changes;
}

std::string file_and_row(const std::string& path, const std::string& row) {
  const std::string file = std::filesystem::path(path).filename().string();
  return row.empty() ? file : fmt::format("{} [{}]", file, row);
}

std::string changed_source(const ChangedFrom& from) {
  return fmt::format("{} with changes; unchanged its source is: {}", from.file, from.source);
}

std::vector<std::string> change_lines(const std::vector<KeyChange>& changes) {
  std::vector<std::string> lines;
  lines.reserve(changes.size());
  for (const KeyChange& change : changes)
    lines.push_back(fmt::format("{} {} -> {}", change.key, change.from, change.to));
  return lines;
}

}  // namespace simtrain
