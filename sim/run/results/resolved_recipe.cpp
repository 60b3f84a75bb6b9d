#include "sim/run/results/resolved_recipe.h"

#include "sim/workload/schedule/stage_layout.h"

namespace simtrain {
namespace {

template <class T>
std::optional<T> value_of(const std::optional<Sourced<T>>& setting) {
  if (!setting) return std::nullopt;
  return setting->value;
}

NcclOverrides resolved_nccl(const NcclSettings& settings) {
  NcclOverrides nccl;
  nccl.version = settings.version.value;
  nccl.nvls = settings.nvls.value;
  nccl.collnet = value_of(settings.collnet);
  nccl.algo = value_of(settings.algo);
  nccl.proto = value_of(settings.proto);
  nccl.min_channels = value_of(settings.min_channels);
  nccl.max_channels = value_of(settings.max_channels);
  nccl.p2p_net_chunk = settings.p2p_net_chunk.value;
  nccl.p2p_channels_per_peer = value_of(settings.p2p_channels_per_peer);
  return nccl;
}

}  // namespace

ResolvedRecipe resolved_recipe(const Scenario& scenario) {
  const Recipe& recipe = scenario.recipe;
  ResolvedRecipe resolved{{}, recipe.model, scenario.hardware};
  ScenarioFile& keys = resolved.keys;
  keys.name = scenario.name;
  keys.source = scenario.source;
  keys.mfu_convention = scenario.mfu_convention;
  keys.cluster.name = scenario.files.cluster;
  keys.cluster.nodes = scenario.placement.nodes;
  keys.cluster.available_nodes = scenario.cluster.nodes;
  keys.cluster.placement = scenario.placement.spec;
  keys.cluster.rank_order = scenario.placement.order;
  keys.cluster.faults = scenario.cluster.faults;
  keys.software = scenario.files.software;
  keys.training = recipe.training;
  keys.parallelism = recipe.parallelism;
  keys.overlap = recipe.overlap;
  keys.optimizer = recipe.optimizer;
  keys.recompute = recipe.recompute;
  if (recipe.recompute == Recompute::selective) keys.recompute_modules = recipe.recompute_modules;
  keys.cuda_graphs = recipe.cuda_graphs;
  keys.nccl = resolved_nccl(recipe.software.nccl);
  return resolved;
}

ParameterCounts parameter_counts(const Recipe& recipe) {
  ParameterCounts counts;
  counts.model = model_parameters(recipe.model);
  const ModelTotals totals(recipe);
  for (int stage = 0; stage < recipe.pp(); ++stage) {
    const std::int64_t parameters = stage_parameters(recipe, totals, stage);
    counts.mean += static_cast<double>(parameters) / recipe.pp();
    if (parameters <= counts.fullest) continue;
    counts.fullest = parameters;
    counts.fullest_stage = stage;
  }
  return counts;
}

}  // namespace simtrain
