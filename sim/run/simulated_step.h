#pragma once

#include <vector>

#include "sim/run/planned_step.h"

namespace simtrain {

/// One step of a job, simulated: what reports and traces are made of.
struct SimulatedStep : PlannedStep {
  Timeline timeline;
  double wall_s = 0;  ///< what it took to simulate
};
SimulatedStep simulate_step(const Scenario& scenario, const SimulateOptions& options = {});

/// How many ranks of the job each simulated rank represents.
std::vector<int> ranks_behind(const SimulatedStep& simulated);

/// The figures of a simulated step.
Report report_of(const SimulatedStep& simulated);

}  // namespace simtrain
