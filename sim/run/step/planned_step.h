#pragma once

#include <memory>
#include <vector>

#include "sim/run/pieces/pieces.h"
#include "sim/run/scenario/scenario.h"
#include "sim/run/step/simulate_options.h"
#include "sim/workload/parallel/rank_classes.h"

namespace simtrain {

/// A scenario laid out on its cluster. The scenario must outlive it.
struct Job {
  const Scenario& scenario;
  ModelTotals totals;                             ///< of the scenario's recipe
  std::shared_ptr<const Cluster> shared_cluster;  ///< keeps `cluster`
  const Cluster& cluster;
  Placement placement;
  RankGrid grid;
  const RankClasses& classes;                           ///< kept by `cluster` or the next
  std::shared_ptr<const RankClasses> own_classes = {};  ///< where the step's plan says more

  [[nodiscard]] JobContext context() const {
    return {scenario.recipe, totals, cluster, placement, grid};
  }
  /// With `kernels`, which must outlive the context as this does.
  [[nodiscard]] PassContext context(const KernelModel& kernels) const {
    return {{context(), kernels}, classes};
  }
};
Job lay_out(const Scenario& scenario, const SimulateOptions& options);
/// On a cluster of other faults than the scenario's.
Job lay_out(const Scenario& scenario, const ClusterSpec& cluster, const SimulateOptions& options);

/// A step of a job whose pieces have been simulated and whose ranks have their programs.
struct PlannedStep : Job {
  double clock = 1;                     ///< share of the full SM clock that the power limit allows
  std::vector<SimulatedPieces> passes;  ///< by pass class
  std::vector<PieceCosts> costs;        ///< by pass class
  Plan plan;

  /// The pieces of a rank.
  [[nodiscard]] const SimulatedPieces& pieces_of(int rank) const {
    return passes[static_cast<std::size_t>(classes.pass[static_cast<std::size_t>(rank)])];
  }
  [[nodiscard]] const PieceCosts& costs_of(int rank) const {
    return costs[static_cast<std::size_t>(classes.pass[static_cast<std::size_t>(rank)])];
  }
};
PlannedStep plan_step(const Scenario& scenario, const SimulateOptions& options);
/// On a cluster of other faults than the scenario's.
PlannedStep plan_step(const Scenario& scenario, const ClusterSpec& cluster,
                      const SimulateOptions& options);
/// With the ranks that the job's classes name, all where links between switches can bind.
PlannedStep plan_step(Job job);

/// A cluster of the cache, or where there is none a new one.
std::shared_ptr<const Cluster> cluster_for(const ClusterSpec& spec, ClusterCache* clusters);

}  // namespace simtrain
