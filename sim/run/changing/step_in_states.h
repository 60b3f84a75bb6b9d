#pragma once

#include <memory>
#include <vector>

#include "sim/run/step/simulated_step.h"

namespace simtrain {

/// One step of a run whose cluster has faults that come and go, which begins `begun` into the run.
SimulatedStep step_in_states(const Scenario& scenario, const SimulateOptions& options,
                             Duration begun);

/// The plan of a step that ran in several states, each op with what it cost in those in which it
/// ran; `plans` by state. Ranks that are alike have one program.
Plan plan_of_states(const std::vector<const Plan*>& plans, const OpStates& states);

}  // namespace simtrain
