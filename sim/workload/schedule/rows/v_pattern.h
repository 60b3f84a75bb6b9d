#pragma once

#include "sim/workload/schedule/schedule.h"

namespace simtrain {

/// When a stage of a V begins a micro-batch's passes, in units of one pass; each micro-batch runs
/// six units after the one before.
struct VOffsets {
  int forward_down = 0;  ///< of the stage's chunk in the first half of the model
  int forward_up = 0;
  int input_gradient_up = 0;
  int input_gradient_down = 0;
};

/// The tasks in the order of these times; a weight gradient runs in the first unit that is free
/// after its input gradient, the oldest first.
std::vector<Task> v_pattern(int micro_batches, const VOffsets& offsets);

}  // namespace simtrain
