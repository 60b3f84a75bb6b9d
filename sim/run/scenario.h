#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/collectives/nccl_settings.h"
#include "sim/core/data_folder.h"
#include "sim/run/metrics.h"
#include "sim/run/uncertainty.h"
#include "sim/topology/cluster_spec.h"
#include "sim/topology/placement.h"
#include "sim/workload/recipe.h"

namespace simtrain {

struct ClusterRequest {
  std::string name;
  int nodes = 0;
  std::optional<int> available_nodes;
  PlacementSpec placement;
  RankOrder rank_order{};
  ClusterFaults faults;
  template <class Visitor>
  void fields(Visitor& v) {
    v("name", name);
    v("nodes", nodes, Limits{1, 1e6});
    v.optional("available_nodes", available_nodes, Limits{1, 1e6});
    v.optional("placement", placement);
    v.optional("rank_order", rank_order);
    v.optional("faults", faults);
  }
};

/// A scenario as its file says it, without `table` and `model_overrides`.
struct ScenarioFile {
  std::string name;
  std::string source;
  std::vector<std::string> notes;
  MfuConvention mfu_convention{};
  ClusterRequest cluster;
  std::string software;
  std::string model;
  TrainingSpec training;
  ParallelismSpec parallelism;
  OverlapSpec overlap;
  OptimizerSpec optimizer;
  Recompute recompute = Recompute::none;
  bool cuda_graphs = false;
  NcclOverrides nccl;
  template <class Visitor>
  void fields(Visitor& v) {
    v("name", name);
    v("source", source);
    v.optional("notes", notes);
    v.optional("mfu_convention", mfu_convention);
    v("cluster", cluster);
    v("software", software);
    v("model", model);
    v("training", training);
    v("parallelism", parallelism);
    v("overlap", overlap);
    v("optimizer", optimizer);
    v.optional("recompute", recompute);
    v.optional("cuda_graphs", cuda_graphs);
    v.optional("nccl", nccl);
  }
};

/// A question to simulate: a recipe on a cluster. Read and checked: whatever is here can be played.
struct Scenario {
  std::string name;
  std::string source;
  MfuConvention mfu_convention{};
  ClusterSpec cluster;  ///< all nodes that the job may land on
  PlacementRequest placement;
  Recipe recipe;
  UncertaintySpec uncertainty;

  /// GPUs of the job.
  [[nodiscard]] int gpus() const { return placement.nodes * cluster.node.gpus; }
};

/// `--set KEY=VALUE`: a dotted key of the scenario (or a short name: tp, pp, vp, cp, ep, mbs, gbs)
/// and its value as YAML.
struct Setting {
  std::string key;
  SourcePlace key_place;
  YamlNode value;
};

/// Throws InputError where `text` is not KEY=VALUE.
Setting parse_setting(const std::string& text);

/// A scenario file: a plain scenario, or one with a table whose rows override dotted keys.
class ScenarioSource {
 public:
  /// Reads the file; rows and settings are applied when a scenario is asked for.
  static ScenarioSource from_file(const std::string& path);
  static ScenarioSource from_text(const std::string& text, const std::string& name);

  [[nodiscard]] bool has_table() const { return !rows_.empty(); }
  [[nodiscard]] std::vector<std::string> row_names() const;

  /// The scenario of one row ("" for the body alone), with settings over it. Throws InputError at
  /// whatever is wrong with it; unknown rows say which exist.
  [[nodiscard]] Scenario scenario(const DataFolder& data, const std::string& row,
                                  const std::vector<Setting>& settings) const;

 private:
  struct Row {
    std::string name;
    std::vector<Setting> settings;
  };
  explicit ScenarioSource(YamlNode tree);
  void read_table(const YamlNode& table);

  YamlNode body_;
  std::vector<Row> rows_;
};

/// What a scenario and its model were read from, for the places of errors.
struct ScenarioTrees {
  YamlNode scenario;
  YamlNode model;
};

/// Where the value of a dotted key stands; where it is missing, the map that it would stand in.
SourcePlace place_of(const YamlNode& tree, const std::string& key);

/// Throws InputError, at the value to blame, where the parts of a scenario do not fit together.
void check_scenario(const Scenario& scenario, const ScenarioTrees& trees);

}  // namespace simtrain
