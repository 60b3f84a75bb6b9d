#pragma once

#include <optional>
#include <vector>

#include "sim/workload/schedule/schedule.h"

namespace simtrain {

/// A task in unit time.
struct UnitPass {
  int stage = 0;
  Task task;
  int model_chunk = 0;
  int start = 0;
  int end = 0;
};

/// A pipeline whose forwards, input gradients and weight gradients take one unit each, whole
/// backwards two, and whose messages take nothing: what of a schedule is its own.
struct UnitStep {
  std::vector<UnitPass> passes;  ///< stage after stage, in the order in which they run
  int makespan = 0;
  int idle = 0;  ///< of each stage, from 0 to the makespan
  int peak = 0;  ///< chunks held by the worst stage, from a forward to its weight gradient
};

/// Runs the tasks of all stages against each other, on dependencies alone; nothing where some stage
/// waits for ever.
std::optional<UnitStep> unit_step(const PipelineShape& shape);

}  // namespace simtrain
