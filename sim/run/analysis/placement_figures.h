#pragma once

#include "sim/run/engine/timeline.h"
#include "sim/run/results/report.h"
#include "sim/run/scenario/scenario.h"
#include "sim/workload/plan/step_context.h"

namespace simtrain {

/// How a job lies in the cluster: neighbour hops of each kind of group by distance, and where links
/// between switches can bind, the most loaded of them over the step's own transfers.
PlacementFigures placement_figures(const JobContext& context, const PlacementRequest& request,
                                   const Plan& plan, const Timeline& timeline);

}  // namespace simtrain
