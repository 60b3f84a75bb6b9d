#include "sim/core/input/yaml_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/core/suggestion.h"

namespace simtrain::yaml_detail {

void require_list(const YamlNode& node, const std::string& key) {
  if (node.kind == YamlNode::Kind::list) return;
  throw InputError(node.place, key, fmt::format("must be a list, found {}", found(node)));
}

void require_length(const YamlNode& node, const std::string& key, std::size_t length) {
  require_list(node, key);
  if (node.items.size() == length) return;
  throw InputError(node.place, key,
                   fmt::format("must have {} items, found {}", length, node.items.size()));
}

void check_keys(const YamlNode& node, const std::string& path,
                const std::vector<std::string>& known) {
  if (node.kind != YamlNode::Kind::map) {
    throw InputError(node.place, path, fmt::format("must be a map of keys, found {}", found(node)));
  }
  for (const YamlEntry& entry : node.entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    throw InputError(entry.place, dotted(path, entry.key),
                     "is not known here; " + suggestion(entry.key, known));
  }
}

void missing(const YamlNode& node, const std::string& key) {
  throw InputError(node.place, key, "is missing");
}

}  // namespace simtrain::yaml_detail
