#pragma once

#include "sim/run/results/report.h"
#include "sim/run/step/simulated_step.h"

namespace simtrain {

/// Predicts one training step of a scenario: cluster, placement, plan, execution, report.
/// Many threads may simulate at a time; what they share is in `options` and in the DataFolder that
/// their scenarios came from.
Report simulate(const Scenario& scenario, const SimulateOptions& options = {});

/// The step itself: what reports, traces and analyses are made of. The scenario must outlive it.
SimulatedStep simulate_step(const Scenario& scenario, const SimulateOptions& options = {});

/// The figures of a simulated step.
Report report_of(const SimulatedStep& simulated);

/// The step of a report, as far as its uncertainty depends on it.
PredictedStep predicted_step(const Scenario& scenario, const Report& report);

}  // namespace simtrain
