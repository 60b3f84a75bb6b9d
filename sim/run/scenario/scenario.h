#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/collectives/libraries/library_maps.h"
#include "sim/core/fields.h"
#include "sim/core/files/data_folder.h"
#include "sim/core/input/yaml_tree.h"
#include "sim/run/figures/headline.h"
#include "sim/run/figures/metrics.h"
#include "sim/run/scenario/model_choice.h"
#include "sim/run/scenario/scenario_hardware.h"
#include "sim/run/uncertainty/uncertainty.h"
#include "sim/topology/placement/placement.h"
#include "sim/topology/specs/cluster_spec.h"
#include "sim/workload/model/recipe.h"

namespace simtrain {

struct ClusterRequest {
  std::string name;
  std::optional<std::string> machine;  ///< a name of hardware/machines
  std::optional<int> nodes;            ///< either these or the GPUs
  std::optional<int> gpus;
  std::optional<int> available_nodes;
  PlacementSpec placement;
  RankOrder rank_order{};
  ClusterFaults faults;
};
template <>
struct Fields<ClusterRequest>;

/// What energy costs, for prices of a step and of a training run. All of it may be left out.
struct CostSpec {
  std::optional<Money> gpu_hour;  ///< of one GPU, energy included or not
  std::optional<EnergyPrice> electricity;
  std::optional<CarbonIntensity> grid;
  std::optional<double> pue;  ///< in place of the cluster's
  friend bool operator==(const CostSpec&, const CostSpec&) = default;
};
template <>
struct Fields<CostSpec>;

/// A scenario as its file says it, without `table`, `sweep`, `model_overrides` and `hardware`.
struct ScenarioFile {
  std::string name;
  std::string source;
  std::vector<std::string> notes;
  MfuConvention mfu_convention{};
  ClusterRequest cluster;
  std::string software;
  ModelChoice model;
  TrainingSpec training;
  ParallelismSpec parallelism;
  OverlapSpec overlap;
  OptimizerSpec optimizer;
  std::optional<ShardingSpec> sharding;
  std::optional<MoeSpec> moe;
  std::optional<OffloadSpec> offload;
  std::optional<LoraSpec> lora;
  std::optional<PackedSequencesSpec> packed_sequences;
  Recompute recompute = Recompute::none;
  std::optional<std::vector<RecomputeModule>> recompute_modules;
  std::optional<int> recompute_every_nth_layer;
  bool cuda_graphs = false;
  bool cuda_launch_blocking = false;
  CostSpec cost;
  LibraryOverrides library;
};
template <>
struct Fields<ScenarioFile>;

/// The files of the data folder that a scenario names.
struct ScenarioNames {
  std::string cluster;
  std::optional<std::string> machine;
  std::string software;
};

/// A question to simulate: a recipe on a cluster. Read and checked: whatever is here can be
/// simulated.
struct Scenario {
  std::string name;    ///< the file's with its row; made from the recipe where keys were changed
  std::string source;  ///< the file's; where keys were changed, called that of the unchanged one
  ScenarioNames files;
  std::optional<ChangedFrom> changed_from;  ///< where keys were changed
  std::vector<KeyChange> hardware;          ///< values of hardware files that it changes
  MfuConvention mfu_convention{};
  ClusterSpec cluster;  ///< all nodes that the job may land on
  PlacementRequest placement;
  Recipe recipe;
  UncertaintySpec uncertainty;
  CostSpec cost;

  /// GPUs of the job.
  [[nodiscard]] int gpus() const { return placement.nodes * cluster.node.gpus; }
};

/// What a scenario and its model were read from, for the places of errors.
struct ScenarioTrees {
  YamlNode scenario;
  YamlNode model;
};

/// A scenario of which each part has been read, but not yet checked whether they fit together.
struct DraftScenario {
  Scenario scenario;
  ScenarioTrees trees;
};

/// `--set KEY=VALUE`: a dotted key of the scenario (or a short name: tp, pp, vp, cp, ep, mbs, gbs,
/// nodes, gpus, precision) and its value as YAML.
struct Setting {
  std::string key;
  SourcePlace key_place;
  YamlNode value;
};

/// Throws InputError where `text` is not KEY=VALUE.
Setting parse_setting(const std::string& text);

/// Where the equals sign of KEY=VALUE is, which is in no brackets; npos where there is none.
std::size_t equals_sign(const std::string& text);

/// Keys that say in other ways what this one says, so that they have to give way to it: the number
/// of nodes and that of GPUs; the lengths of a job.
std::vector<std::string> rivals_of(const std::string& dotted);

/// Whether one of two keys is a rival of the other.
bool exclude_each_other(const std::string& dotted, const std::string& other);

/// Dotted keys that `--vary` and the sweep block of a scenario take beside `hardware.`.
const std::vector<std::string>& scenario_keys();

/// Short names of some of them: tp, pp, ...
std::vector<std::string> short_keys();

/// The dotted key that a short name means (tp, pp, ...), else the key itself.
std::string dotted_key(const std::string& key);

/// The short name of a dotted key where it has one, else the key itself.
std::string short_key(const std::string& dotted);

/// What would do in place of a key that a scenario does not have there: the key of that name
/// further below, as training.seq_length of seq_length, or else what is close of `known`.
std::string scenario_key_suggestion(const std::string& key, const std::vector<std::string>& known);

/// Throws InputError, with what would do, where a scenario can have no such dotted key.
void check_scenario_key(const std::string& dotted, const SourcePlace& where);

/// A scenario file: a plain scenario, or one with a table whose rows override dotted keys. It may
/// say what a sweep is to vary.
class ScenarioSource {
 public:
  /// Reads the file; rows and settings are applied when a scenario is asked for.
  static ScenarioSource from_file(const std::string& path);
  static ScenarioSource from_text(const std::string& text, const std::string& name);

  [[nodiscard]] bool has_table() const { return !rows_.empty(); }
  [[nodiscard]] std::vector<std::string> row_names() const;

  /// The `sweep` block: keys of the scenario, dotted, with what is to be tried of each. Empty
  /// without one.
  [[nodiscard]] const std::vector<Setting>& sweep() const { return sweep_; }

  /// What would be read for one row and settings, on one line; equal where the question is.
  [[nodiscard]] std::string text(const std::string& row,
                                 const std::vector<Setting>& settings) const;

  /// Throws InputError where a value is wrong in itself, whatever the others are: one of another
  /// type or out of its limits, a name of no file.
  void check_values(const DataFolder& data, const std::string& row,
                    const std::vector<Setting>& settings) const;

  /// The scenario of one row ("" for the body alone), with settings over it. Throws InputError at
  /// whatever is wrong with it; unknown rows say which exist.
  [[nodiscard]] Scenario scenario(const DataFolder& data, const std::string& row,
                                  const std::vector<Setting>& settings) const;

  /// The same before check_scenario, for those who go on to change its plan.
  [[nodiscard]] DraftScenario draft(const DataFolder& data, const std::string& row,
                                    const std::vector<Setting>& settings) const;

  /// The keys of that scenario, as a file without a table would hold them, with the places where
  /// each was set.
  [[nodiscard]] YamlNode tree(const std::string& row, const std::vector<Setting>& settings) const;

  /// The same as a file of its own: its name, source and notes are those of what it holds.
  [[nodiscard]] YamlNode titled_tree(const DataFolder& data, const std::string& row,
                                     const std::vector<Setting>& settings) const;

 private:
  struct Row {
    std::string name;
    std::vector<Setting> settings;
  };
  explicit ScenarioSource(YamlNode tree);
  void add_headline(const DataFolder& data, const std::string& row,
                    const std::vector<Setting>& settings, Scenario& scenario) const;
  void read_table(const YamlNode& table);
  void read_sweep(const YamlNode& sweep);

  YamlNode body_;
  std::vector<Row> rows_;
  std::vector<Setting> sweep_;
};

/// The key by which a scenario says how large its job is: cluster.nodes or cluster.gpus.
std::string size_key(const YamlNode& tree);

/// The place of the value of a dotted key; where it is missing, of the map that it would be in.
SourcePlace place_of(const YamlNode& tree, const std::string& key);

/// Throws InputError, at the value to blame, where the parts of a scenario do not fit together.
void check_scenario(const Scenario& scenario, const ScenarioTrees& trees);

// Its parts, but for the model. The first asks whether the recipe, whose model has `parameters` in
// all, can be laid out on that many GPUs, in a few microseconds; the second what does not depend on
// the recipe: faults, placement, unlike hosts.
void check_plan(const Scenario& scenario, double parameters, const ScenarioTrees& trees);
/// Of all ranks together.
double whole_parameters(const ModelSpec& model);
void check_cluster(const Scenario& scenario, const ScenarioTrees& trees);

/// Throws InputError where the `job` of a scenario is no JobSpec or names files that are not there.
void check_job(const DataFolder& data, const YamlNode& job);

}  // namespace simtrain
