#pragma once

#include "sim/workload/plan/communicators/program_calls.h"
#include "sim/workload/plan/plan.h"

namespace simtrain {

/// Finds, for each group of ranks that run passes together, the transfers inside that may have to
/// share links with messages and collectives of the step. Where no link can be asked for more than
/// it has, passes keep their transfers to themselves.
void add_inner_flows(Plan& plan, const ProgramCalls& calls);

}  // namespace simtrain
