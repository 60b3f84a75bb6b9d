#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "sim/run/engine/loop/phases.h"
#include "sim/run/pieces.h"
#include "sim/run/results/steps_in_row.h"
#include "sim/run/simulate.h"
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
  const RankClasses& classes;  ///< kept by `cluster`

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

/// A state of the cluster that came after the one in which a step began, and its pieces.
struct LaterState {
  std::shared_ptr<const Cluster> cluster;
  std::vector<SimulatedPieces> passes;  ///< by pass class
};

/// One step of a job, simulated: what reports and traces are made of. Where faults came and went,
/// cluster, pieces and costs are those of the state in which it began; in `plan` each op costs what
/// it did in the states in which it ran.
struct SimulatedStep : Job {
  double clock = 1;                     ///< share of the full SM clock that the power limit allows
  std::vector<SimulatedPieces> passes;  ///< by pass class
  std::vector<PieceCosts> costs;        ///< by pass class
  Plan plan;
  Timeline timeline;
  double wall_s = 0;  ///< what it took to simulate
  OpStates states{};
  std::vector<LaterState> later{};                  ///< the states from number 1 on
  std::shared_ptr<const void> classes_of_states{};  ///< keeps `classes` where there are several
  std::vector<StepsInRow> in_row{};  ///< this step and those after it, while faults come and go

  /// The pieces of a rank in a state of the cluster.
  [[nodiscard]] const SimulatedPieces& pieces_of(int rank, std::uint32_t state = 0) const {
    const std::vector<SimulatedPieces>& by_class = state == 0 ? passes : later[state - 1].passes;
    return by_class[static_cast<std::size_t>(classes.pass[static_cast<std::size_t>(rank)])];
  }
  [[nodiscard]] const PieceCosts& costs_of(int rank) const {
    return costs[static_cast<std::size_t>(classes.pass[static_cast<std::size_t>(rank)])];
  }
};
SimulatedStep simulate_step(const Scenario& scenario, const SimulateOptions& options = {});

/// How many ranks of the job each simulated rank represents.
std::vector<int> ranks_behind(const SimulatedStep& simulated);

/// The figures of a simulated step.
Report report_of(const SimulatedStep& simulated);

}  // namespace simtrain
