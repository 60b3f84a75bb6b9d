#pragma once

#include <string_view>
#include <vector>

#include "sim/run/results/report.h"
#include "sim/run/step/simulated_step.h"

namespace simtrain {

/// What the busiest rank communicates in one step, summed by group, collective, algorithm, protocol
/// and size: the step's own transfers, and those inside the pieces times how often each is run.
/// `path` is the step's critical path.
std::vector<CommunicationRow> communication_table(const SimulatedStep& simulated,
                                                  const std::vector<PathStep>& path,
                                                  std::uint32_t busiest);

/// tp, cp, pp or dp: the group whose calls a share of exposed communication belongs to; empty for
/// other shares.
std::string_view group_name(Share share);

}  // namespace simtrain
