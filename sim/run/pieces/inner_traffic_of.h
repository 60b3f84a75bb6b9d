#pragma once

#include <vector>

#include "sim/run/engine/bursts.h"
#include "sim/run/engine/timeline.h"
#include "sim/workload/kernels/inner_traffic.h"
#include "sim/workload/plan/plan.h"

namespace simtrain {

/// What the transfers of a simulated piece look like from the step: of each kind of group those of
/// the rank whose transfers hold their links longest.
PassTraffic inner_traffic(const Plan& piece, const Timeline& timeline);

/// The same transfers one by one, in the order in which they start: as calls of `calls`, by kind.
std::vector<Burst> bursts_of(const Plan& piece, const Timeline& timeline, const PassTraffic& calls);

}  // namespace simtrain
