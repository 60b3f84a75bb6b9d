#include "sim/run/planned_step.h"

#include "sim/workload/plan/step_clock.h"
#include "sim/workload/schedule/recipe_grid.h"

namespace simtrain {

std::shared_ptr<const Cluster> cluster_for(const ClusterSpec& spec, ClusterCache* clusters) {
  return clusters != nullptr ? clusters->get(spec) : std::make_shared<const Cluster>(spec);
}

Job lay_out(const Scenario& scenario, const SimulateOptions& options) {
  return lay_out(scenario, scenario.cluster, options);
}

Job lay_out(const Scenario& scenario, const ClusterSpec& spec, const SimulateOptions& options) {
  std::shared_ptr<const Cluster> cluster = cluster_for(spec, options.clusters);
  Placement placement = place(scenario.cluster, scenario.placement);
  const RankGrid grid = rank_grid(scenario.recipe, scenario.gpus());
  const RankClasses& classes = rank_classes(*cluster, placement, grid, options.unfold);
  return {scenario, ModelTotals(scenario.recipe), cluster, *cluster, std::move(placement), grid,
          classes};
}

PlannedStep plan_step(const Scenario& scenario, const SimulateOptions& options) {
  return plan_step(lay_out(scenario, options));
}

PlannedStep plan_step(Job job) {
  const GpuSpec& gpu = job.cluster.spec().gpu;
  const double clock = step_clock(job.context(FittedKernelModel(gpu)));
  const FittedKernelModel kernels(gpu, clock);
  std::vector<SimulatedPieces> passes = simulate_pieces(job.context(kernels));
  std::vector<PieceCosts> costs = costs_of(passes);
  Plan plan = step_plan({job.context(kernels), costs});
  return {{std::move(job)}, clock, std::move(passes), std::move(costs), std::move(plan)};
}

}  // namespace simtrain
