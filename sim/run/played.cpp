#include "sim/run/played.h"

#include "sim/run/executor.h"
#include "sim/workload/step_clock.h"

namespace simtrain {
namespace {

double clock_of(const Played& played) {
  const FittedKernelModel full_clock(played.cluster.spec().gpu);
  return step_clock({played.scenario.recipe, played.cluster, played.placement, played.grid,
                     full_clock, played.classes, played.costs});
}

std::shared_ptr<const Cluster> cluster_for(const ClusterSpec& spec, ClusterCache* clusters) {
  return clusters != nullptr ? clusters->get(spec) : std::make_shared<const Cluster>(spec);
}

}  // namespace

Played::Played(const Scenario& asked, const SimulateOptions& options)
    : scenario(asked),
      shared_cluster(cluster_for(asked.cluster, options.clusters)),
      cluster(*shared_cluster),
      placement(place(asked.cluster, asked.placement)),
      grid(asked.recipe, asked.gpus()),
      classes(rank_classes(cluster, placement, grid, options.unfold)),
      clock(clock_of(*this)),
      kernels(cluster.spec().gpu, clock),
      passes(play_pieces(context())) {
  costs = costs_of(passes);
  plan = step_plan(context());
  timeline = execute(plan, options.watch);
}

std::vector<int> ranks_behind(const Played& played) {
  std::vector<int> by_rank(static_cast<std::size_t>(played.grid.ranks()), 0);
  for (const int first : played.classes.step_stand_in) ++by_rank[static_cast<std::size_t>(first)];
  std::vector<int> behind;
  behind.reserve(played.plan.ranks.size());
  for (const SimulatedRank& rank : played.plan.ranks)
    behind.push_back(by_rank[static_cast<std::size_t>(rank.rank)]);
  return behind;
}

}  // namespace simtrain
