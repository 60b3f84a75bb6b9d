#include <algorithm>

#include <fmt/format.h>

#include "sim/core/input/yaml_text.h"
#include "sim/run/scenario/scenario.h"

namespace simtrain {
namespace {

bool holds(const std::vector<KeyChange>& changes, std::string_view key) {
  return std::any_of(changes.begin(), changes.end(),
                     [&](const KeyChange& change) { return change.key == key; });
}

std::string map_text(const YamlNode& tree, std::string_view key) {
  const YamlNode* map = tree.find(key);
  return map == nullptr ? "" : flow_text(*map);
}

/// "llama3.1-70b with num_layers 12, fp8, on b200-sxm (gcp-a4)": without its GPUs, so that it holds
/// for several sizes.
std::string title_of(const DataFolder& data, const Scenario& scenario, const YamlNode& tree) {
  std::string model = scenario.recipe.model.name;
  if (const YamlNode* overrides = tree.find("model_overrides")) {
    const YamlNode own = model_tree(data, tree);
    std::string_view comma = " with";
    for (const YamlEntry& entry : overrides->entries) {
      if (text_at(own, entry.key) == entry.value.text) continue;
      model += fmt::format("{} {} {}", comma, entry.key, entry.value.text);
      comma = ",";
    }
  }
  return fmt::format("{}, {}, on {} ({}{})", model, name_of(scenario.recipe.training.precision),
                     scenario.cluster.gpu.name, scenario.cluster.name,
                     scenario.hardware.empty() ? "" : ", hardware changed");
}

/// GPUs of a node of the cluster that a tree names; 0 where there is no such cluster.
int gpus_of_node(const DataFolder& data, const YamlNode& tree) {
  try {
    return node_of_cluster(data, text_at(tree, "cluster.name"), {}).gpus;
  } catch (const InputError&) {
    return 0;
  }
}

/// Says that the nodes stayed and the GPUs did not, where that is so.
std::string gpus_note(const DataFolder& data, const YamlNode& before,
                      const std::vector<KeyChange>& keys, const Scenario& scenario) {
  if (!holds(keys, "cluster.name") || holds(keys, "cluster.nodes") || holds(keys, "cluster.gpus"))
    return "";
  const int nodes = scenario.placement.nodes;
  const int each = scenario.cluster.node.gpus;
  const int once = gpus_of_node(data, before);
  if (once == 0 || once == each || !find_yaml_value(before, "cluster.nodes")) return "";
  return fmt::format(
      "{} GPUs became {}: the {} nodes stay, and a node of {} holds {} GPUs, not {}; --set gpus={} "
      "keeps the GPUs",
      nodes * once, nodes * each, nodes, scenario.cluster.name, each, once, nodes * once);
}

/// Nodes in place of the GPUs that they have are no change.
void drop_same_size(const DataFolder& data, const YamlNode& before, const Scenario& scenario,
                    std::vector<KeyChange>& keys) {
  if (!holds(keys, "cluster.nodes") || !holds(keys, "cluster.gpus")) return;
  const std::string gpus = text_at(before, "cluster.gpus");
  const std::string nodes = text_at(before, "cluster.nodes");
  const bool same =
      gpus.empty()
          ? nodes == std::to_string(scenario.gpus() / std::max(1, gpus_of_node(data, before)))
          : gpus == std::to_string(scenario.gpus());
  if (!same) return;
  keys.erase(std::remove_if(keys.begin(), keys.end(),
                            [](const KeyChange& change) {
                              return change.key == "cluster.nodes" || change.key == "cluster.gpus";
                            }),
             keys.end());
}

YamlNode text_node(const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = text;
  return node;
}

YamlNode notes_of(const Scenario& scenario) {
  const ChangedFrom& from = *scenario.changed_from;
  YamlNode notes;
  notes.kind = YamlNode::Kind::list;
  notes.items.push_back(text_node(fmt::format("Changed from {}: {}", from.file, from.name)));
  for (const std::vector<KeyChange>& changes : {from.keys, scenario.hardware}) {
    for (const std::string& line : change_lines(changes)) notes.items.push_back(text_node(line));
  }
  if (!from.gpus.empty()) notes.items.push_back(text_node(from.gpus));
  return notes;
}

}  // namespace

void ScenarioSource::add_headline(const DataFolder& data, const std::string& row,
                                  const std::vector<Setting>& settings, Scenario& scenario) const {
  const YamlNode before = tree(row, {});
  const std::string name = text_at(before, "name");
  scenario.name = row.empty() ? name : fmt::format("{} [{}]", name, row);
  scenario.source = text_at(before, "source");
  if (settings.empty()) return;
  const YamlNode after = tree(row, settings);
  ChangedFrom from{file_and_row(body_.place.file, row), scenario.name, scenario.source,
                   key_changes(before, after), ""};
  from.gpus = gpus_note(data, before, from.keys, scenario);
  drop_same_size(data, before, scenario, from.keys);
  const bool changed =
      !from.keys.empty() || map_text(before, "hardware") != map_text(after, "hardware");
  if (changed) {
    scenario.name = title_of(data, scenario, after);
    scenario.source = changed_source(from);
    scenario.changed_from = std::move(from);
  }
  if (text_at(after, "name") != name) scenario.name = text_at(after, "name");
  if (text_at(after, "source") != text_at(before, "source"))
    scenario.source = text_at(after, "source");
}

YamlNode ScenarioSource::titled_tree(const DataFolder& data, const std::string& row,
                                     const std::vector<Setting>& settings) const {
  YamlNode result = tree(row, settings);
  const Scenario scenario = draft(data, row, settings).scenario;
  set_yaml_value(result, "name", text_node(scenario.name));
  set_yaml_value(result, "source", text_node(scenario.source));
  if (scenario.changed_from) set_yaml_value(result, "notes", notes_of(scenario));
  return result;
}

}  // namespace simtrain
