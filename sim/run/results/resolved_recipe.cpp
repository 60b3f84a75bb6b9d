#include "sim/run/results/resolved_recipe.h"

#include "sim/workload/schedule/stage_layout.h"

namespace simtrain {

ResolvedRecipe resolved_recipe(const Scenario& scenario) {
  const Recipe& recipe = scenario.recipe;
  ResolvedRecipe resolved{{}, recipe.model, scenario.hardware};
  ScenarioFile& keys = resolved.keys;
  keys.name = scenario.name;
  keys.source = scenario.source;
  keys.mfu_convention = scenario.mfu_convention;
  keys.cluster.name = scenario.files.cluster;
  keys.cluster.machine = scenario.files.machine;
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
  if (recipe.sharding != ShardingSpec{}) keys.sharding = recipe.sharding;
  if (recipe.model.has_experts()) keys.moe = recipe.moe;
  if (recipe.offload != OffloadSpec{}) keys.offload = recipe.offload;
  keys.lora = recipe.lora;
  keys.packed_sequences = recipe.packed_sequences;
  keys.recompute = recipe.recompute;
  if (recipe.recompute == Recompute::selective) keys.recompute_modules = recipe.recompute_modules;
  if (recipe.recompute == Recompute::full && recipe.recompute_every_nth_layer > 1)
    keys.recompute_every_nth_layer = recipe.recompute_every_nth_layer;
  keys.cuda_graphs = recipe.cuda_graphs;
  keys.cuda_launch_blocking = recipe.cuda_launch_blocking;
  keys.cost = scenario.cost;
  keys.library = overrides_of(recipe.software.library);
  return resolved;
}

ParameterCounts parameter_counts(const Recipe& recipe) {
  ParameterCounts counts;
  counts.trained = trained_parameters(recipe);
  counts.model = model_parameters(recipe.model);
  if (recipe.lora) counts.model += counts.trained;
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
