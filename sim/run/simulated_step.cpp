#include "sim/run/simulated_step.h"

#include "sim/run/changing/changing_step.h"
#include "sim/run/engine/executor.h"
#include "sim/run/pass_bursts.h"
#include "sim/run/planned_step.h"
#include "sim/topology/fault_times.h"
#include "sim/workload/model/recipe_grid.h"
#include "sim/workload/plan/step_clock.h"

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
  return {std::move(job), clock, std::move(passes), std::move(costs), std::move(plan)};
}

SimulatedStep without_timeline(PlannedStep planned) {
  Timeline unknown;  // pieces are asked for what moves in them before the step has run
  unknown.spans.resize(planned.plan.ranks.size());
  return {std::move(planned.job),   planned.clock,           std::move(planned.passes),
          std::move(planned.costs), std::move(planned.plan), std::move(unknown)};
}

SimulatedStep simulate_step(const Scenario& scenario, const SimulateOptions& options) {
  const auto begun = std::chrono::steady_clock::now();
  if (come_and_go(scenario.cluster.faults)) return simulate_changing_step(scenario, options);
  SimulatedStep step = without_timeline(plan_step(scenario, options));
  step.timeline = execute(step.plan, options.watch, pass_bursts(step));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  step.wall_s = taken.count();
  return step;
}

std::vector<int> ranks_behind(const SimulatedStep& simulated) {
  std::vector<int> by_rank(static_cast<std::size_t>(simulated.grid.ranks()), 0);
  for (const int first : simulated.classes.step_representative)
    ++by_rank[static_cast<std::size_t>(first)];
  std::vector<int> behind;
  behind.reserve(simulated.plan.ranks.size());
  for (const SimulatedRank& rank : simulated.plan.ranks)
    behind.push_back(by_rank[static_cast<std::size_t>(rank.rank)]);
  return behind;
}

}  // namespace simtrain
