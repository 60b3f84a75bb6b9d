#pragma once

#include "sim/run/step/simulated_step.h"

namespace simtrain {

/// The first step of a run whose cluster has faults that come and go (`start` and `for` of
/// cluster.faults), and how long it and those after it take (SimulatedStep::in_row).
///
/// Each set of faults that holds at some time of the step is a state of the cluster; the step is
/// planned for each, with the ranks folded that are alike in all of them, and the event loop goes
/// from one plan to the next (execute_phases). Where one state holds all the time it is that step,
/// to the digit. Throws as simulate() does.
SimulatedStep simulate_changing_step(const Scenario& scenario, const SimulateOptions& options);

}  // namespace simtrain
