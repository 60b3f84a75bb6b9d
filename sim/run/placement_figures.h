#pragma once

#include "sim/run/report.h"
#include "sim/run/scenario.h"
#include "sim/run/timeline.h"
#include "sim/workload/step_plan.h"

namespace simtrain {

/// How a job lies in the cluster: neighbour hops of each kind of group by distance, and where links
/// between switches can bind, the most loaded of them over the step's own transfers.
PlacementFigures placement_figures(const StepContext& context, const PlacementRequest& request,
                                   const Plan& plan, const Timeline& timeline);

}  // namespace simtrain
