#pragma once

#include "sim/run/engine/bursts.h"
#include "sim/run/step/planned_step.h"

namespace simtrain {

/// The transfers inside the stretches of a step's passes that are cut because data-parallel
/// transfers start or end in them, where they meet others on a link (Group::inner). None for other
/// passes, and where no group has such links.
PlanBursts pass_bursts(const PlannedStep& step);

}  // namespace simtrain
