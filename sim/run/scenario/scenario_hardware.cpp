#include "sim/run/scenario/scenario_hardware.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/input/yaml_reader.h"
#include "sim/core/input/yaml_text.h"
#include "sim/core/suggestion.h"
#include "sim/run/scenario/hardware_keys.h"
#include "sim/run/scenario/machine.h"
#include "sim/run/scenario/provenance.h"

namespace simtrain {
namespace {

constexpr std::string_view kHardware = "hardware";

/// Collects files in the order in which they name each other.
class Files {
 public:
  explicit Files(const DataFolder& data) : data_(data) {}

  /// Adds a file once, unless `key` of `tree` names none.
  YamlNode add(const std::string& family, const YamlNode& tree, const std::string& key) {
    const std::string name = text_at(tree, key);
    if (name.empty()) return {};
    YamlNode file = data_.load_tree("hardware/" + family, name, place_of(tree, key), key);
    const bool known = std::any_of(files.begin(), files.end(), [&](const HardwareFile& other) {
      return other.family == family && other.name == name;
    });
    if (!known) files.push_back({family, name, file});
    return file;
  }
  void add_node(const YamlNode& tree) {
    const YamlNode node = add("nodes", tree, "node");
    add("gpus", node, "gpu");
  }

  std::vector<HardwareFile> files;

 private:
  const DataFolder& data_;
};

/// What the sources of changed values say: "--set", or the file that changes them.
std::string source_text(const SourcePlace& where) {
  if (where.file.starts_with("--")) return where.file.substr(0, where.file.find(' '));
  return std::filesystem::path(where.file).filename().string();
}

/// One value of a scenario's `hardware` map or of its machine.
struct Wanted {
  std::string key;  ///< without "hardware."
  SourcePlace where;
  YamlNode value;
  std::string source;
};

void add_wanted(const YamlNode& map, const std::string& path, std::vector<Wanted>& wanted) {
  if (map.kind != YamlNode::Kind::map)
    throw InputError(map.place, std::string(kHardware),
                     fmt::format("must be a map of keys, found {}", found(map)));
  for (const YamlEntry& entry : map.entries) {
    const std::string key = yaml_detail::dotted(path, entry.key);
    if (entry.value.kind == YamlNode::Kind::map) {
      add_wanted(entry.value, key, wanted);
      continue;
    }
    if (entry.value.kind != YamlNode::Kind::scalar || entry.value.text.empty())
      throw InputError(entry.value.place, fmt::format("{}.{}", kHardware, key),
                       fmt::format("must be one value, found {}", found(entry.value)));
    wanted.push_back({key, entry.place, entry.value, source_text(entry.value.place)});
  }
}

void add_machine(const Machine& machine, std::vector<Wanted>& wanted) {
  for (const MachineValue& value : machine.values) {
    YamlNode node;
    node.kind = YamlNode::Kind::scalar;
    node.text = value.value;
    node.place = value.where;
    wanted.push_back({value.key, value.where, std::move(node), value.source});
  }
}

/// What a value is written as: with its own source, or alone.
const YamlNode& value_of(const YamlNode& node) {
  const YamlNode* value = node.kind == YamlNode::Kind::map ? node.find("value") : nullptr;
  return value == nullptr ? node : *value;
}

std::string with_space(const YamlNode& scalar) {
  const std::size_t end = scalar.text.find_first_not_of("0123456789.-+eE");
  if (end == 0 || end == scalar.text.npos || scalar.text[end] == ' ') return scalar.text;
  return scalar.text.substr(0, end) + " " + scalar.text.substr(end);
}

/// The files of a scenario that hold values which it may change.
class ValueFiles {
 public:
  ValueFiles(const DataFolder& data, const YamlNode& scenario)
      : files_(hardware_files(data, scenario)) {}

  /// Whether a file of a kind has a value under a key, or may have one.
  [[nodiscard]] bool has(const HardwareFile& file, const HardwareKind& kind, const std::string& key,
                         const SourcePlace& where) const {
    if (file.family != kind.family || is_about(key)) return false;
    const YamlNode* node = find_keyed(file.tree, key, where);
    if (node == nullptr) return kind.sourced.count(key) > 0;
    return value_of(*node).kind == YamlNode::Kind::scalar;
  }

  /// The only kind that has a wanted value, and the key in its files.
  [[nodiscard]] std::pair<const HardwareKind*, std::string> kind_of(const Wanted& wanted) const {
    std::vector<std::pair<const HardwareKind*, std::string>> kinds;
    for (const HardwareKind& kind : hardware_kinds()) {
      const std::string prefix = fmt::format("{}.", kind.name);
      if (wanted.key.starts_with(prefix)) {
        const std::string key = wanted.key.substr(prefix.size());
        if (any_has(kind, key, wanted.where)) return {&kind, key};
      } else if (any_has(kind, wanted.key, wanted.where)) {
        kinds.emplace_back(&kind, wanted.key);
      }
    }
    if (kinds.empty()) refuse_unknown(wanted);
    if (kinds.size() > 1) refuse_ambiguous(wanted, *kinds[0].first, *kinds[1].first);
    return kinds.front();
  }

  [[nodiscard]] const std::vector<HardwareFile>& all() const { return files_; }

 private:
  static bool is_about(std::string_view key) {
    const std::size_t dot = key.rfind('.');
    const std::string_view last = dot == key.npos ? key : key.substr(dot + 1);
    return last == "source" || last == "gpu" || key == "name" || key == "description";
  }
  [[nodiscard]] bool any_has(const HardwareKind& kind, const std::string& key,
                             const SourcePlace& where) const {
    return std::any_of(files_.begin(), files_.end(),
                       [&](const HardwareFile& file) { return has(file, kind, key, where); });
  }
  [[noreturn]] void refuse_unknown(const Wanted& wanted) const {
    std::vector<std::string> known;
    for (const HardwareKind& kind : hardware_kinds()) {
      for (const HardwareFile& file : files_) {
        if (file.family != kind.family) continue;
        for (const ProvenanceRow& row : provenance_rows(file.tree)) {
          known.push_back(row.key);
          known.push_back(fmt::format("{}.{}", kind.name, row.key));
        }
      }
      known.insert(known.end(), kind.sourced.begin(), kind.sourced.end());
    }
    const std::string closest = suggestion(wanted.key, known);
    throw InputError(
        wanted.where, fmt::format("{}.{}", kHardware, wanted.key),
        "is no value of this scenario's GPU, node, fabric and software files; " +
            (closest.starts_with("did") ? closest : "'simtrain help hardware' lists the keys"));
  }
  [[noreturn]] static void refuse_ambiguous(const Wanted& wanted, const HardwareKind& one,
                                            const HardwareKind& other) {
    throw InputError(wanted.where, fmt::format("{}.{}", kHardware, wanted.key),
                     fmt::format("is in more than one file; {0}.{1}.{3} or {0}.{2}.{3} would do",
                                 kHardware, one.name, other.name, wanted.key));
  }

  std::vector<HardwareFile> files_;
};

/// Adds a change in place of an earlier one of the same value.
void add_change(std::vector<HardwareChange>& changes, HardwareChange change) {
  changes.erase(std::remove_if(changes.begin(), changes.end(),
                               [&](const HardwareChange& other) {
                                 return other.value.key == change.value.key &&
                                        other.file == change.file;
                               }),
                changes.end());
  changes.push_back(std::move(change));
}

/// Names the key that was set where an error is at a changed value: files call it by their own.
void refuse_changed(const std::vector<HardwareChange>& changes, const InputError& error) {
  constexpr std::string_view kValue = ".value";
  std::string_view key = error.key();
  if (key.ends_with(kValue)) key.remove_suffix(kValue.size());
  for (const HardwareChange& change : changes) {
    const std::string& wanted = change.value.key;
    if (change.where.file != error.place().file || !wanted.ends_with(fmt::format(".{}", key)))
      continue;
    throw InputError(error.place(), wanted, error.sentence());
  }
}

}  // namespace

std::vector<HardwareFile> hardware_files(const DataFolder& data, const YamlNode& scenario) {
  Files files(data);
  const YamlNode cluster = files.add("clusters", scenario, "cluster.name");
  files.add_node(cluster);
  if (const YamlNode* hosts = find_yaml_value(cluster, "graph.hosts")) {
    for (const YamlNode& host : hosts->items) files.add_node(host);
  }
  files.add("fabrics", cluster, "fabric");
  files.add("software", scenario, "software");
  return std::move(files.files);
}

void ScenarioHardware::rethrow(const InputError& error) const {
  refuse_changed(changes, error);
  const std::string_view text = error.what();
  const std::string reason = error.reason();
  const HardwareChange* guilty = nullptr;
  for (const HardwareChange& change : changes) {
    if (!text.starts_with(change.file)) continue;
    const std::string_view key = change.value.key;
    const std::size_t colon = reason.find(':');
    if (guilty == nullptr || key.ends_with("." + reason.substr(0, colon))) guilty = &change;
  }
  if (guilty == nullptr) throw;
  throw InputError(guilty->where, "", reason);
}

ScenarioHardware scenario_hardware(const DataFolder& data, const YamlNode& scenario,
                                   const YamlNode* wanted) {
  const std::optional<Machine> machine = machine_of(data, scenario);
  if (wanted == nullptr && !machine) return {data, {}};
  std::vector<Wanted> values;
  if (machine) add_machine(*machine, values);
  if (wanted != nullptr) add_wanted(*wanted, "", values);
  const ValueFiles files(data, scenario);
  std::vector<NumberOverride> numbers;
  std::vector<HardwareChange> changes;
  for (const Wanted& value : values) {
    const auto [kind, key] = files.kind_of(value);
    for (const HardwareFile& file : files.all()) {
      if (!files.has(file, *kind, key, value.where)) continue;
      numbers.push_back({fmt::format("{}/{}.yaml", file.family, file.name), key, 0, value.where,
                         value.value, value.source});
      const YamlNode* node = find_keyed(file.tree, key, value.where);
      add_change(changes, {{fmt::format("{}.{}.{}", kHardware, kind->name, key),
                            node == nullptr ? std::string(kNotSet) : with_space(value_of(*node)),
                            with_space(value.value)},
                           file.tree.place.file,
                           value.where});
    }
  }
  return {data.with_beneath(std::move(numbers)), std::move(changes)};
}

}  // namespace simtrain
