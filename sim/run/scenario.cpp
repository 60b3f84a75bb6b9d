#include "sim/run/scenario.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sim/core/yaml_text.h"

namespace simtrain {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kShortNames{{
    {"tp", "parallelism.tensor_model_parallel_size"},
    {"pp", "parallelism.pipeline_model_parallel_size"},
    {"vp", "parallelism.virtual_pipeline_model_parallel_size"},
    {"cp", "parallelism.context_parallel_size"},
    {"ep", "parallelism.expert_model_parallel_size"},
    {"mbs", "training.micro_batch_size"},
    {"gbs", "training.global_batch_size"},
    {"nodes", "cluster.nodes"},
    {"precision", "training.precision"},
}};

std::optional<YamlNode> take(YamlNode& map, std::string_view key) {
  const auto entry = std::find_if(map.entries.begin(), map.entries.end(),
                                  [&](const YamlEntry& e) { return e.key == key; });
  if (entry == map.entries.end()) return std::nullopt;
  YamlNode value = std::move(entry->value);
  map.entries.erase(entry);
  return value;
}

/// Visitor that learns the dotted keys of a struct and of those in it.
class DottedKeys {
 public:
  DottedKeys(std::vector<std::string>& keys, std::string path)
      : keys_(keys), path_(std::move(path)) {}

  template <class T, class... Limit>
  void operator()(std::string_view key, T& field, Limit... /*limits*/) {
    keys_.push_back(yaml_detail::dotted(path_, key));
    if constexpr (yaml_detail::Fielded<T>) {
      DottedKeys inner(keys_, keys_.back());
      field.fields(inner);
    }
  }
  template <class T, class... Limit>
  void optional(std::string_view key, T& field, Limit... limits) {
    (*this)(key, field, limits...);
  }

 private:
  std::vector<std::string>& keys_;
  std::string path_;
};

std::vector<std::string> known_keys() {
  std::vector<std::string> keys;
  ScenarioFile file;
  DottedKeys scenario(keys, "");
  file.fields(scenario);
  ModelSpec spec;
  DottedKeys model(keys, "model_overrides");
  spec.fields(model);
  return keys;
}

/// The model's file with the scenario's overrides in it; `tree` becomes what was read.
ModelSpec load_model(const DataFolder& data, const std::string& name, const SourcePlace& where,
                     const std::optional<YamlNode>& overrides, YamlNode& tree) {
  tree = data.load_tree("scenarios/models", name, where, "model");
  auto model = read_yaml<ModelSpec>(tree, "");
  if (!overrides) return model;
  yaml_detail::check_keys(*overrides, "model_overrides", field_names<ModelSpec>());
  for (const YamlEntry& entry : overrides->entries)
    set_yaml_value(tree, entry.key, entry.value, entry.place);
  return read_yaml<ModelSpec>(tree, "model_overrides");
}

/// The part of the cluster that the job may land on.
ClusterSpec load_cluster(const DataFolder& data, const ClusterRequest& request,
                         const YamlNode& tree) {
  const std::string key = request.available_nodes ? "cluster.available_nodes" : "cluster.nodes";
  const int available = request.available_nodes.value_or(request.nodes);
  if (available < request.nodes) {
    throw InputError(
        place_of(tree, key), key,
        fmt::format("{} is fewer than the {} nodes of the job", available, request.nodes));
  }
  ClusterSpec spec = load_cluster(data, request.name, available, place_of(tree, "cluster.name"),
                                  NodesKey{key, place_of(tree, key)});
  spec.faults = request.faults;
  return spec;
}

}  // namespace

SourcePlace place_of(const YamlNode& tree, const std::string& key) {
  const YamlNode* value = find_yaml_value(tree, key);
  if (value != nullptr) return value->place;
  const std::size_t dot = key.rfind('.');
  return dot == key.npos ? tree.place : place_of(tree, key.substr(0, dot));
}

std::string dotted_key(const std::string& key) {
  for (const auto& [short_name, dotted] : kShortNames) {
    if (key == short_name) return std::string(dotted);
  }
  return key;
}

std::string short_key(const std::string& dotted) {
  for (const auto& [short_name, key] : kShortNames) {
    if (dotted == key) return std::string(short_name);
  }
  return dotted;
}

void check_scenario_key(const std::string& dotted, const SourcePlace& where) {
  static const std::vector<std::string> known = known_keys();
  if (std::find(known.begin(), known.end(), dotted) != known.end()) return;
  throw InputError(where, dotted, "is no key of a scenario; " + suggestion(dotted, known));
}

Setting parse_setting(const std::string& text) {
  const std::string place = "--set " + text;
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError({place}, "", "must be KEY=VALUE");
  const std::string key = dotted_key(text.substr(0, equals));
  YamlNode value = load_yaml_text(text.substr(equals + 1), place, static_cast<int>(equals) + 2);
  if (value.kind == YamlNode::Kind::null) value.place = {place, 1, static_cast<int>(equals) + 2};
  return {key, {place, 1, 1}, std::move(value)};
}

ScenarioSource ScenarioSource::from_file(const std::string& path) {
  return ScenarioSource(load_yaml_file(path));
}

ScenarioSource ScenarioSource::from_text(const std::string& text, const std::string& name) {
  return ScenarioSource(load_yaml_text(text, name));
}

ScenarioSource::ScenarioSource(YamlNode tree) : body_(std::move(tree)) {
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
      if (other.key == key) throw InputError(entry.place, "sweep." + entry.key, "stands twice");
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
                       fmt::format("'{}' stands twice", keys[column]));
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
      throw InputError(cells.place, key, fmt::format("'{}' stands twice", row.name));
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
    for (const Setting& s : found->settings) set_yaml_value(tree, s.key, s.value, s.key_place);
  }
  for (const Setting& s : settings) set_yaml_value(tree, s.key, s.value, s.key_place);
  return tree;
}

std::string ScenarioSource::text(const std::string& row,
                                 const std::vector<Setting>& settings) const {
  return flow_text(tree(row, settings));
}

void ScenarioSource::check_values(const DataFolder& data, const std::string& row,
                                  const std::vector<Setting>& settings) const {
  YamlNode read = tree(row, settings);
  const auto overrides = take(read, "model_overrides");
  const auto file = read_yaml<ScenarioFile>(read, "");
  const auto named = [&](std::string_view family, const std::string& name, const std::string& key) {
    static_cast<void>(data.load_tree(family, name, place_of(read, key), key));
  };
  YamlNode model;
  static_cast<void>(load_model(data, file.model, place_of(read, "model"), overrides, model));
  named("hardware/clusters", file.cluster.name, "cluster.name");
  named("hardware/software", file.software, "software");
  if (file.overlap.tp_comm_overlap_table)
    named("hardware/tp_overlap", *file.overlap.tp_comm_overlap_table,
          "overlap.tp_comm_overlap_table");
}

Scenario ScenarioSource::scenario(const DataFolder& data, const std::string& row,
                                  const std::vector<Setting>& settings) const {
  const DraftScenario read = draft(data, row, settings);
  check_scenario(read.scenario, read.trees);
  return read.scenario;
}

DraftScenario ScenarioSource::draft(const DataFolder& data, const std::string& row,
                                    const std::vector<Setting>& settings) const {
  YamlNode tree = this->tree(row, settings);
  const auto overrides = take(tree, "model_overrides");
  const auto file = read_yaml<ScenarioFile>(tree, "");

  DraftScenario draft{{}, {std::move(tree), {}}};
  ScenarioTrees& trees = draft.trees;
  const auto at = [&](const std::string& key) { return place_of(trees.scenario, key); };

  Scenario& scenario = draft.scenario;
  scenario.name = row.empty() ? file.name : fmt::format("{} [{}]", file.name, row);
  scenario.source = file.source;
  scenario.mfu_convention = file.mfu_convention;
  scenario.cluster = load_cluster(data, file.cluster, trees.scenario);
  scenario.uncertainty = load_uncertainty(data);
  scenario.placement = {file.cluster.nodes, file.cluster.placement, file.cluster.rank_order};
  Recipe& recipe = scenario.recipe;
  recipe.model = load_model(data, file.model, at("model"), overrides, trees.model);
  recipe.software =
      data.load<SoftwareSpec>("hardware/software", file.software, at("software"), "software");
  recipe.software.nccl = with_overrides(recipe.software.nccl, file.nccl, "scenario");
  recipe.training = file.training;
  recipe.parallelism = file.parallelism;
  recipe.overlap = file.overlap;
  recipe.optimizer = file.optimizer;
  recipe.recompute = file.recompute;
  if (file.recompute_modules) {
    if (file.recompute != Recompute::selective)
      throw InputError(at("recompute_modules"), "recompute_modules",
                       fmt::format("is there with recompute '{}'; recompute selective would do",
                                   name_of(file.recompute)));
    recipe.recompute_modules = *file.recompute_modules;
  }
  recipe.cuda_graphs = file.cuda_graphs;
  if (file.overlap.tp_comm_overlap_table) {
    const std::string key = "overlap.tp_comm_overlap_table";
    recipe.tp_overlap = data.load<TpOverlapTable>(
        "hardware/tp_overlap", *file.overlap.tp_comm_overlap_table, at(key), key);
  }
  return draft;
}

}  // namespace simtrain
