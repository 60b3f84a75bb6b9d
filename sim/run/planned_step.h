#pragma once

#include <vector>

#include "sim/run/simulated_step.h"

namespace simtrain {

/// A step that is laid out and planned, not yet simulated (see SimulatedStep).
struct PlannedStep {
  Job job;
  double clock = 1;
  std::vector<SimulatedPieces> passes;  ///< by pass class
  std::vector<PieceCosts> costs;        ///< by pass class
  Plan plan;
};
PlannedStep plan_step(const Scenario& scenario, const SimulateOptions& options);

}  // namespace simtrain
