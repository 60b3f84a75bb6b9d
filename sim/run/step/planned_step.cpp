#include "sim/run/step/planned_step.h"

#include "sim/workload/plan/communicators/inner_flows.h"
#include "sim/workload/plan/folding/plan_classes.h"
#include "sim/workload/plan/program/step_clock.h"
#include "sim/workload/plan/program/step_plan.h"
#include "sim/workload/schedule/recipe_grid.h"

namespace simtrain {
namespace {

/// Where links that are nobody's own can bind, it takes the plan of all ranks to show which are
/// alike.
PlannedStep with_alike_ranks(PlannedStep step, bool unfold) {
  const PlanClasses alike =
      plan_classes(step.plan, std::vector<std::uint32_t>(step.plan.ranks.size(), 0));
  const std::vector<std::uint32_t> first = first_of_each(alike.ranks);
  auto classes = std::make_shared<RankClasses>(step.classes);
  for (std::size_t rank = 0; rank < alike.ranks.size(); ++rank) {
    const auto like = static_cast<int>(first[alike.ranks[rank]]);
    classes->step_like[rank] = step.plan.ranks[rank].like = like;
  }
  if (!unfold) {
    classes->step_representative = classes->step_like;
    step.plan = folded(step.plan, alike);
    add_inner_flows(step.plan, calls_of(step.plan.programs));
  }
  return {{step.scenario, std::move(step.totals), std::move(step.shared_cluster), step.cluster,
           std::move(step.placement), step.grid, *classes, classes},
          step.clock,
          std::move(step.passes),
          std::move(step.costs),
          std::move(step.plan)};
}

}  // namespace

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
  return plan_step(scenario, scenario.cluster, options);
}

PlannedStep plan_step(const Scenario& scenario, const ClusterSpec& cluster,
                      const SimulateOptions& options) {
  PlannedStep step = plan_step(lay_out(scenario, cluster, options));
  if (!step.classes.by_plan) return step;
  return with_alike_ranks(std::move(step), options.unfold);
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
