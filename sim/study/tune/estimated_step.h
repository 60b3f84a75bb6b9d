#pragma once

#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// The step time in seconds, simulated in full. Throws as `simulate`.
double step_time(const Scenario& scenario);

/// The same by two steps of fewer micro-batches and the straight line through them, where the step
/// has many: once a pipeline is full, every further micro-batch takes it as long. Within 0.1 % of
/// `step_time`, and equal to it for steps of few micro-batches. Throws as `simulate`.
double estimated_step_time(const Scenario& scenario);

}  // namespace simtrain
