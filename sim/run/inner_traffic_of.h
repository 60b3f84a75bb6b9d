#pragma once

#include "sim/run/engine/timeline.h"
#include "sim/workload/kernels/inner_traffic.h"
#include "sim/workload/plan/plan.h"

namespace simtrain {

/// What the transfers of a simulated piece look like from the step: of each kind of group those of
/// the rank whose transfers hold their links longest.
PassTraffic inner_traffic(const Plan& piece, const Timeline& timeline);

}  // namespace simtrain
