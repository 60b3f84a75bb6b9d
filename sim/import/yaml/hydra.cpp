#include "sim/import/yaml/hydra.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/files/yaml_file.h"
#include "sim/core/input/scalar_text.h"
#include "sim/core/suggestion.h"
#include "sim/import/yaml/interpolation.h"

namespace simtrain {
namespace {

constexpr std::size_t kMostConfigs = 64;
constexpr std::string_view kOverlapTable = "ub_tp_comm_overlap_cfg";

/// Puts `over` on `under`: maps key by key, anything else as a whole.
void merge(YamlNode& under, const YamlNode& over) {
  if (under.kind != YamlNode::Kind::map || over.kind != YamlNode::Kind::map) {
    under = over;
    return;
  }
  for (const YamlEntry& entry : over.entries) {
    YamlNode* known = under.find(entry.key);
    if (known == nullptr) {
      under.entries.push_back(entry);
    } else {
      merge(*known, entry.value);
    }
  }
}

void erase(YamlNode& map, const std::string& key) {
  std::erase_if(map.entries, [&](const YamlEntry& entry) { return entry.key == key; });
}

class Composer {
 public:
  YamlNode compose(YamlNode tree, const std::string& path) {
    const YamlNode* defaults = tree.find("defaults");
    if (defaults == nullptr) return tree;
    if (defaults->kind != YamlNode::Kind::list)
      throw InputError(defaults->place, "defaults", "must be a list, as Hydra has it");
    const std::vector<YamlNode> items = defaults->items;
    const SourcePlace place = tree.place;
    erase(tree, "defaults");
    YamlNode whole;
    whole.kind = YamlNode::Kind::map;
    whole.place = place;
    bool self = false;
    for (const YamlNode& item : items) {
      if (item.kind == YamlNode::Kind::scalar && item.text == "_self_") {
        merge(whole, tree);
        self = true;
      } else {
        merge(whole, of_item(item, path));
      }
    }
    if (!self) merge(whole, tree);
    return whole;
  }

 private:
  YamlNode of_item(const YamlNode& item, const std::string& path) {
    YamlNode nothing;
    nothing.kind = YamlNode::Kind::map;
    nothing.place = item.place;
    if (item.kind == YamlNode::Kind::scalar) return of_file(item.text, item, path);
    if (item.kind != YamlNode::Kind::map || item.entries.size() != 1)
      throw InputError(item.place, "defaults",
                       "holds an entry that is neither a name nor GROUP: NAME");
    const YamlEntry& entry = item.entries.front();
    if (entry.key.starts_with("override ") || entry.value.kind == YamlNode::Kind::null)
      return nothing;
    const std::string name = scalar_text(entry.value, "defaults");
    std::string group = entry.key;
    const bool optional = group.starts_with("optional ");
    if (optional) group.erase(0, 9);
    std::string key = group.substr(group.find('@') + 1);  // GROUP@PACKAGE, or GROUP for both
    group.erase(std::min(group.find('@'), group.size()));
    std::replace(key.begin(), key.end(), '/', '.');
    if (optional && !std::filesystem::exists(file_of(group + "/" + name, path))) {
      // The name of a table of user buffers identifies it.
      if (key.ends_with(kOverlapTable)) set_yaml_value(nothing, key, entry.value, item.place);
      return nothing;
    }
    YamlNode tree = of_file(group + "/" + name, item, path);
    set_yaml_value(nothing, key, std::move(tree), item.place);
    return nothing;
  }

  static std::filesystem::path file_of(const std::string& name, const std::string& path) {
    return std::filesystem::path(path).parent_path() / (name + ".yaml");
  }

  YamlNode of_file(const std::string& name, const YamlNode& item, const std::string& path) {
    const std::string file = file_of(name, path).string();
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) {
      throw InputError(item.place, "defaults",
                       fmt::format("names {}, which is not there; put it beside the recipe", file));
    }
    if (std::find(open_.begin(), open_.end(), file) != open_.end()) {
      throw InputError(item.place, "defaults",
                       fmt::format("goes in a circle: {} -> {}", fmt::join(open_, " -> "), file));
    }
    if (++files_ > kMostConfigs) {
      throw InputError(item.place, "defaults",
                       fmt::format("takes in more than {} files", kMostConfigs));
    }
    open_.push_back(file);
    YamlNode tree = compose(load_yaml_file(file), file);
    open_.pop_back();
    if (tree.kind == YamlNode::Kind::null) tree.kind = YamlNode::Kind::map;
    return tree;
  }

  std::vector<std::string> open_;
  std::size_t files_ = 0;
};

/// The dotted keys of a tree, for suggestions.
void collect_keys(const YamlNode& node, const std::string& key, std::vector<std::string>& keys) {
  for (const YamlEntry& entry : node.entries) {
    const std::string below = key.empty() ? entry.key : key + "." + entry.key;
    keys.push_back(below);
    collect_keys(entry.value, below, keys);
  }
}

void require_known(const YamlNode& tree, const std::string& key, const std::string& place) {
  if (find_yaml_value(tree, key) != nullptr) return;
  std::vector<std::string> keys;
  collect_keys(tree, "", keys);
  const std::string hint = suggestion(key, keys);
  throw InputError({place}, key,
                   fmt::format("is no key of the recipe; {}+{}=VALUE adds it",
                               hint.starts_with("did you") ? hint + " " : "", key));
}

void remove(YamlNode& tree, const std::string& key, const std::string& place) {
  require_known(tree, key, place);
  const std::size_t dot = key.rfind('.');
  YamlNode* map = &tree;
  for (std::size_t begin = 0; dot != key.npos && begin < dot;) {
    const std::size_t end = std::min(key.find('.', begin), dot);
    map = map->find(std::string_view(key).substr(begin, end - begin));
    begin = end + 1;
  }
  erase(*map, key.substr(dot + 1));
}

void apply_override(YamlNode& tree, const std::string& text) {
  const std::string place = std::string(kOverridePlace) + text.substr(0, 120);
  const bool removes = text.starts_with('~');
  const std::size_t signs = text.starts_with("++") ? 2 : text.starts_with('+') || removes ? 1 : 0;
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos && !removes) throw InputError({place}, "", "must be KEY=VALUE");
  std::string key = text.substr(signs, equals == std::string::npos ? equals : equals - signs);
  if (key.empty() || key.find('/') != std::string::npos) {
    throw InputError({place}, "",
                     "must be KEY=VALUE with a dotted key; Hydra's config groups are "
                     "in the defaults of the file");
  }
  if (tree.find(key.substr(0, key.find('.'))) == nullptr) key = without_launcher(key);
  if (removes) return remove(tree, key, place);
  if (signs == 0) require_known(tree, key, place);
  const int column = static_cast<int>(equals) + 2;
  YamlNode value = load_yaml_text(text.substr(equals + 1), place, column);
  if (value.kind == YamlNode::Kind::null) value.place = {place, 1, column};
  set_yaml_value(tree, key, std::move(value), {place, 1, 1});
}

}  // namespace

YamlNode composed(const YamlNode& tree, const std::string& path) {
  return Composer().compose(tree, path);
}

void apply_overrides(YamlNode& tree, const std::vector<std::string>& overrides) {
  for (const std::string& text : overrides) apply_override(tree, text);
}

}  // namespace simtrain
