#include "sim/run/scenario/scenario.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sim/core/files/yaml_file.h"
#include "sim/core/input/yaml_text.h"
#include "sim/run/scenario/machine.h"
#include "sim/run/scenario/routing_file.h"
#include "sim/run/scenario/scenario_fields.h"
#include "sim/topology/placement/segments.h"
#include "sim/topology/specs/gpu_changes.h"
#include "sim/topology/specs/gpu_fields.h"
#include "sim/workload/model/fields/software_fields.h"

namespace simtrain {
namespace {

std::optional<YamlNode> take(YamlNode& map, std::string_view key) {
  const auto entry = std::find_if(map.entries.begin(), map.entries.end(),
                                  [&](const YamlEntry& e) { return e.key == key; });
  if (entry == map.entries.end()) return std::nullopt;
  YamlNode value = std::move(entry->value);
  map.entries.erase(entry);
  return value;
}

/// The keys of a scenario's map, beside those of its file's tables.
const std::vector<std::string>& top_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> names = field_names<ScenarioFile>();
    names.insert(names.end(), {"model_overrides", "hardware", "job"});
    return names;
  }();
  return keys;
}

/// Throws InputError at a key that is none of `known`.
void check_top_keys(const YamlNode& tree, const std::vector<std::string>& known) {
  for (const YamlEntry& entry : tree.entries) {
    if (std::find(known.begin(), known.end(), entry.key) == known.end())
      throw InputError(entry.place, entry.key,
                       "is not known here; " + scenario_key_suggestion(entry.key, known));
  }
  yaml_detail::check_keys(tree, "", known);
}

/// What is read apart from the rest of a scenario.
struct Apart {
  std::optional<YamlNode> overrides;
  std::optional<YamlNode> hardware;
};

/// Takes it out, and the training job, which no step depends on. Throws InputError where that is
/// wrong, and at keys that no scenario has.
Apart take_apart(const DataFolder& data, YamlNode& tree) {
  check_top_keys(tree, top_keys());
  Apart apart{take(tree, "model_overrides"), take(tree, "hardware")};
  if (const auto job = take(tree, "job")) check_job(data, *job);
  return apart;
}

/// `placement: KIND` is short for a map, whose other keys a setting may name.
void write_out_placement(YamlNode& tree) {
  const YamlNode* kind = find_yaml_value(tree, "cluster.placement");
  if (kind == nullptr || kind->kind != YamlNode::Kind::scalar) return;
  YamlNode map;
  map.kind = YamlNode::Kind::map;
  map.place = kind->place;
  map.entries.push_back({"kind", kind->place, *kind});
  set_yaml_value(tree, "cluster.placement", std::move(map));
}

/// Puts a setting into the tree. What is set takes the place of keys that say the same.
void apply(YamlNode& tree, const Setting& setting) {
  if (setting.key.starts_with("cluster.placement.")) write_out_placement(tree);
  set_yaml_value(tree, setting.key, setting.value, setting.key_place);
  for (const std::string& rival : rivals_of(setting.key)) {
    const std::size_t dot = rival.find('.');
    take(*tree.find(rival.substr(0, dot)), rival.substr(dot + 1));
  }
}

/// Nodes of the job, whichever way the scenario says it.
int nodes_of(const DataFolder& data, const ClusterRequest& request, const YamlNode& tree) {
  const std::string key = "cluster.gpus";
  if (request.nodes && request.gpus)
    throw InputError(place_of(tree, key), key,
                     "is given beside cluster.nodes; one of them would do");
  if (request.nodes) return *request.nodes;
  if (!request.gpus)
    throw InputError(place_of(tree, "cluster"), "cluster.nodes",
                     "is missing; cluster.gpus would do as well");
  const NodeSpec node = node_of_cluster(data, request.name, place_of(tree, "cluster.name"));
  if (*request.gpus % node.gpus != 0)
    throw InputError(
        place_of(tree, key), key,
        fmt::format("{} GPUs are no whole number of nodes of {} ({}); {} would do", *request.gpus,
                    node.gpus, node.name, (*request.gpus / node.gpus + 1) * node.gpus));
  return *request.gpus / node.gpus;
}

/// The placement with the segments of a compact job that says none, where the cluster has room for
/// them; without them its nodes follow one another.
PlacementSpec placement_of(const DataFolder& data, const ClusterRequest& request, int nodes,
                           const YamlNode& tree) {
  PlacementSpec spec = request.placement;
  if (spec.segment || spec.kind != PlacementKind::compact) return spec;
  const SourcePlace name = place_of(tree, "cluster.name");
  const NodeSpec node = node_of_cluster(data, request.name, name);
  const std::optional<int> segment = usual_segment(node, nodes);
  if (!segment) return spec;
  const int room = request.available_nodes.value_or(nodes_of_cluster(data, request.name, name));
  if (hosts_for_segments(node, nodes, *segment) <= room) spec.segment = segment;
  return spec;
}

/// Nodes that the job's placement reaches over: its own and, in segments, those left out between.
int nodes_beneath(const DataFolder& data, const ClusterRequest& request,
                  const std::optional<int>& segment, int nodes, const YamlNode& tree) {
  if (!segment) return nodes;
  const NodeSpec node = node_of_cluster(data, request.name, place_of(tree, "cluster.name"));
  return hosts_for_segments(node, nodes, *segment);
}

/// The part of the cluster that the job may land on.
ClusterSpec load_cluster(const DataFolder& data, const ClusterRequest& request,
                         const PlacementRequest& placement, const YamlNode& tree) {
  const int nodes = placement.nodes;
  const std::string key = request.available_nodes ? "cluster.available_nodes" : size_key(tree);
  const int available = request.available_nodes.value_or(
      nodes_beneath(data, request, placement.spec.segment, nodes, tree));
  if (available < nodes) {
    throw InputError(place_of(tree, key), key,
                     fmt::format("{} is fewer than the {} nodes of the job", available, nodes));
  }
  ClusterSpec spec = load_cluster(data, request.name, available, place_of(tree, "cluster.name"),
                                  NodesKey{key, place_of(tree, key)});
  spec.faults = request.faults;
  return spec;
}

/// Throws InputError where a changed value is wrong in itself, whatever the size of the job.
void check_hardware(const DataFolder& data, const YamlNode& tree, const YamlNode* wanted,
                    const ScenarioFile& file) {
  const ScenarioHardware hardware = scenario_hardware(data, tree, wanted);
  try {
    static_cast<void>(
        load_cluster(hardware.data, file.cluster.name, 1, place_of(tree, "cluster.name")));
    static_cast<void>(hardware.data.load<SoftwareSpec>("hardware/software", file.software,
                                                       place_of(tree, "software"), "software"));
  } catch (const InputError& error) {
    hardware.rethrow(error);
  }
}

void read_loads(const YamlNode& tree, RoutingSpec& routing) {
  if (routing.histogram) routing.loads = {*routing.histogram};
  if (routing.histogram_file && !routing.histogram) routing.loads = load_routing_file(tree);
}

/// What a job runs on, as its scenario changes it.
struct JobHardware {
  ClusterSpec cluster;
  PlacementRequest placement;
  SoftwareSpec software;
  std::vector<KeyChange> changes;
};

JobHardware load_hardware(const DataFolder& data, const YamlNode& tree,
                          const std::optional<YamlNode>& wanted, const ScenarioFile& file) {
  const ScenarioHardware hardware = scenario_hardware(data, tree, wanted ? &*wanted : nullptr);
  JobHardware job;
  try {
    const int nodes = nodes_of(hardware.data, file.cluster, tree);
    job.placement = {nodes, placement_of(hardware.data, file.cluster, nodes, tree),
                     file.cluster.rank_order};
    job.cluster = load_cluster(hardware.data, file.cluster, job.placement, tree);
    job.software = hardware.data.load<SoftwareSpec>("hardware/software", file.software,
                                                    place_of(tree, "software"), "software");
  } catch (const InputError& error) {
    hardware.rethrow(error);
  }
  job.changes.reserve(hardware.changes.size());
  for (const HardwareChange& change : hardware.changes) {
    job.changes.push_back(change.value);
    if (!takes_others_along(change.value.key)) continue;
    const auto own = data.load<GpuSpec>("hardware/gpus", job.cluster.node.gpu, change.where, "gpu");
    settle_gpu(own, change.value.key, change.where, job.cluster.gpu);
  }
  return job;
}

/// Modules are there with selective recompute, a distance between layers with full.
void read_recompute(const YamlNode& tree, const ScenarioFile& file, Recipe& recipe) {
  const auto goes_with = [&](const std::string& key, Recompute wanted) {
    if (file.recompute == wanted) return;
    throw InputError(place_of(tree, key), key,
                     fmt::format("is there with recompute '{}'; recompute {} would do",
                                 name_of(file.recompute), name_of(wanted)));
  };
  recipe.recompute = file.recompute;
  if (file.recompute_modules) {
    goes_with("recompute_modules", Recompute::selective);
    recipe.recompute_modules = *file.recompute_modules;
  }
  if (file.recompute_every_nth_layer) {
    goes_with("recompute_every_nth_layer", Recompute::full);
    recipe.recompute_every_nth_layer = *file.recompute_every_nth_layer;
  }
}

}  // namespace

std::string size_key(const YamlNode& tree) {
  return find_yaml_value(tree, "cluster.gpus") == nullptr ? "cluster.nodes" : "cluster.gpus";
}

SourcePlace place_of(const YamlNode& tree, const std::string& key) {
  const YamlNode* value = find_yaml_value(tree, key);
  if (value != nullptr) return value->place;
  const std::size_t dot = key.rfind('.');
  return dot == key.npos ? tree.place : place_of(tree, key.substr(0, dot));
}

ScenarioSource ScenarioSource::from_file(const std::string& path) {
  return ScenarioSource(load_yaml_file(path));
}

ScenarioSource ScenarioSource::from_text(const std::string& text, const std::string& name) {
  return ScenarioSource(load_yaml_text(text, name));
}

ScenarioSource::ScenarioSource(YamlNode tree) : body_(std::move(tree)) {
  if (const YamlNode* jobs = body_.find("jobs"))
    throw InputError(jobs->place, "jobs", "is of a file of several jobs, for 'simtrain share'");
  std::vector<std::string> keys = top_keys();
  keys.insert(keys.end(), {"table", "sweep"});
  check_top_keys(body_, keys);
  if (const auto table = take(body_, "table")) read_table(*table);
  if (const auto sweep = take(body_, "sweep")) read_sweep(*sweep);
}

void ScenarioSource::read_sweep(const YamlNode& sweep) {
  if (sweep.kind != YamlNode::Kind::map)
    throw InputError(sweep.place, "sweep",
                     fmt::format("must be a map of keys, found {}", found(sweep)));
  for (const YamlEntry& entry : sweep.entries) {
    const std::string key = dotted_key(entry.key);
    check_scenario_key(key, entry.place);
    for (const Setting& other : sweep_) {
      if (other.key == key) throw InputError(entry.place, "sweep." + entry.key, "appears twice");
    }
    sweep_.push_back({key, entry.place, entry.value});
  }
}

void ScenarioSource::read_table(const YamlNode& table) {
  yaml_detail::check_keys(table, "table", {"columns", "rows"});
  const YamlNode* columns = table.find("columns");
  const YamlNode* rows = table.find("rows");
  if (columns == nullptr) yaml_detail::missing(table, "table.columns");
  if (rows == nullptr) yaml_detail::missing(table, "table.rows");
  std::vector<std::string> keys;
  yaml_detail::read_value(*columns, "table.columns", keys);
  if (keys.empty() || keys.front() != "row") {
    throw InputError(columns->place, "table.columns",
                     "must start with 'row', the column of the rows' names");
  }
  for (std::size_t column = 0; column < keys.size(); ++column) {
    if (std::count(keys.begin(), keys.end(), keys[column]) > 1) {
      throw InputError(columns->items[column].place, "table.columns",
                       fmt::format("'{}' appears twice", keys[column]));
    }
  }
  yaml_detail::require_list(*rows, "table.rows");
  if (rows->items.empty()) throw InputError(rows->place, "table.rows", "holds no rows");
  std::set<std::string> names;
  for (std::size_t i = 0; i < rows->items.size(); ++i) {
    const YamlNode& cells = rows->items[i];
    const std::string key = fmt::format("table.rows[{}]", i);
    yaml_detail::require_length(cells, key, keys.size());
    Row row{scalar_text(cells.items[0], key), {}};
    if (!names.insert(row.name).second)
      throw InputError(cells.place, key, fmt::format("'{}' appears twice", row.name));
    for (std::size_t column = 1; column < keys.size(); ++column)
      row.settings.push_back({keys[column], columns->items[column].place, cells.items[column]});
    rows_.push_back(std::move(row));
  }
}

std::vector<std::string> ScenarioSource::row_names() const {
  std::vector<std::string> names;
  for (const Row& row : rows_) names.push_back(row.name);
  return names;
}

YamlNode ScenarioSource::tree(const std::string& row, const std::vector<Setting>& settings) const {
  YamlNode tree = body_;
  if (!row.empty()) {
    const auto found =
        std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.name == row; });
    if (found == rows_.end()) {
      const std::string hint =
          rows_.empty() ? "the file has no table" : suggestion(row, row_names());
      throw InputError({body_.place.file}, "--row",
                       fmt::format("'{}' is no row of the table; {}", row, hint));
    }
    for (const Setting& setting : found->settings) apply(tree, setting);
  }
  for (const Setting& setting : settings) apply(tree, setting);
  return tree;
}

std::string ScenarioSource::text(const std::string& row,
                                 const std::vector<Setting>& settings) const {
  return flow_text(tree(row, settings));
}

void ScenarioSource::check_values(const DataFolder& data, const std::string& row,
                                  const std::vector<Setting>& settings) const {
  YamlNode read = tree(row, settings);
  const auto [overrides, wanted] = take_apart(data, read);
  const auto file = read_yaml<ScenarioFile>(read, "");
  const auto named = [&](std::string_view family, const std::string& name, const std::string& key) {
    static_cast<void>(data.load_tree(family, name, place_of(read, key), key));
  };
  YamlNode model;
  static_cast<void>(load_model(data, read, overrides, model));
  named("hardware/clusters", file.cluster.name, "cluster.name");
  named("hardware/software", file.software, "software");
  if (wanted || file.cluster.machine) check_hardware(data, read, wanted ? &*wanted : nullptr, file);
  if (file.overlap.tp_comm_overlap_table)
    named("hardware/tp_overlap", *file.overlap.tp_comm_overlap_table,
          "overlap.tp_comm_overlap_table");
}

Scenario ScenarioSource::scenario(const DataFolder& data, const std::string& row,
                                  const std::vector<Setting>& settings) const {
  DraftScenario read = draft(data, row, settings);
  check_scenario(read.scenario, read.trees);
  return std::move(read.scenario);
}

DraftScenario ScenarioSource::draft(const DataFolder& data, const std::string& row,
                                    const std::vector<Setting>& settings) const {
  YamlNode tree = this->tree(row, settings);
  const auto [overrides, wanted] = take_apart(data, tree);
  const auto file = read_yaml<ScenarioFile>(tree, "");

  DraftScenario draft{{}, {std::move(tree), {}}};
  ScenarioTrees& trees = draft.trees;
  const auto at = [&](const std::string& key) { return place_of(trees.scenario, key); };

  Scenario& scenario = draft.scenario;
  scenario.files = {file.cluster.name, file.cluster.machine, file.software};
  JobHardware hardware = load_hardware(data, trees.scenario, wanted, file);
  scenario.mfu_convention = file.mfu_convention;
  scenario.cluster = std::move(hardware.cluster);
  scenario.hardware = std::move(hardware.changes);
  scenario.uncertainty = load_uncertainty(data);
  if (const auto machine = machine_of(data, trees.scenario))
    scenario.uncertainty.machine = machine->relative_error;
  scenario.placement = std::move(hardware.placement);
  Recipe& recipe = scenario.recipe;
  recipe.model = load_model(data, trees.scenario, overrides, trees.model);
  recipe.software = std::move(hardware.software);
  recipe.software.library =
      with_overrides(std::move(recipe.software.library), file.library, "scenario");
  recipe.training = file.training;
  recipe.parallelism = file.parallelism;
  recipe.overlap = file.overlap;
  recipe.optimizer = file.optimizer;
  recipe.sharding = file.sharding.value_or(ShardingSpec{});
  recipe.moe = file.moe.value_or(MoeSpec{});
  recipe.offload = file.offload.value_or(OffloadSpec{});
  scenario.cluster.host_links = recipe.offload.anything();
  if (recipe.moe.routing) read_loads(trees.scenario, *recipe.moe.routing);
  recipe.lora = file.lora;
  recipe.packed_sequences = file.packed_sequences;
  read_recompute(trees.scenario, file, recipe);
  recipe.cuda_graphs = file.cuda_graphs;
  recipe.cuda_launch_blocking = file.cuda_launch_blocking;
  scenario.cost = file.cost;
  if (file.overlap.tp_comm_overlap_table) {
    const std::string key = "overlap.tp_comm_overlap_table";
    recipe.tp_overlap = data.load<TpOverlapTable>(
        "hardware/tp_overlap", *file.overlap.tp_comm_overlap_table, at(key), key);
  }
  add_headline(data, row, settings, scenario);
  return draft;
}

}  // namespace simtrain
