#pragma once

#include "sim/run/report.h"
#include "sim/run/scenario.h"

namespace simtrain {

struct SimulateOptions {
  bool unfold = false;  ///< simulate every rank; gives the same numbers
};

/// Predicts one training step of a scenario: cluster, placement, plan, execution, report.
Report simulate(const Scenario& scenario, const SimulateOptions& options = {});

}  // namespace simtrain
