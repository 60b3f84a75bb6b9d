#pragma once

#include "sim/workload/plan/step_context.h"
#include "sim/workload/schedule/stage_layout.h"

namespace simtrain {

/// The program that a rank and all of its class run in one step, in the order in which the host
/// issues it: parameter gathers, the schedule's passes with their sends and receives, gradient
/// reductions, and after the flush the gradient norm, the optimizer and what is left to gather.
Program stage_program(const StepContext& context, int rank);

}  // namespace simtrain
