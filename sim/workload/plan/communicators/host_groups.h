#pragma once

#include "sim/workload/plan/step_context.h"

namespace simtrain {

/// Gives every simulated rank the groups of itself and its host, with the links of their ways in
/// the cluster. Where a rank represents others, it loads what they share in their stead: each link
/// as often as ranks of the job use it for each simulated one that does.
void add_host_groups(const JobContext& context, Plan& plan);

}  // namespace simtrain
