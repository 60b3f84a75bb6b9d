#pragma once

#include <memory>
#include <vector>

#include "sim/run/engine/phases.h"
#include "sim/run/step/planned_step.h"
#include "sim/run/step/steps_in_row.h"

namespace simtrain {

/// A state of the cluster that came after the one in which a step began, and its pieces.
struct LaterState {
  std::shared_ptr<const Cluster> cluster;
  std::vector<SimulatedPieces> passes;  ///< by pass class
};

/// One step of a job, simulated: what reports and traces are made of. Where faults came and went,
/// cluster, pieces and costs are those of the state in which it began; in `plan` each op costs what
/// it did in the states in which it ran.
struct SimulatedStep : PlannedStep {
  Timeline timeline;
  double wall_s = 0;  ///< what it took to simulate
  OpStates states{};
  std::vector<LaterState> later{};                  ///< the states from number 1 on
  std::shared_ptr<const void> classes_of_states{};  ///< keeps `classes` where there are several
  std::vector<StepsInRow> in_row{};  ///< this step and those after it, while faults come and go

  /// The pieces of a rank in a state of the cluster.
  [[nodiscard]] const SimulatedPieces& pieces_in(std::uint32_t state, int rank) const {
    if (state == 0) return pieces_of(rank);
    return later[state - 1]
        .passes[static_cast<std::size_t>(classes.pass[static_cast<std::size_t>(rank)])];
  }
};

/// Simulates a step on a cluster whose faults neither come nor go.
SimulatedStep simulate_steady_step(const Scenario& scenario, const SimulateOptions& options);

/// How many ranks of the job each simulated rank represents.
std::vector<int> ranks_behind(const SimulatedStep& simulated);

}  // namespace simtrain
