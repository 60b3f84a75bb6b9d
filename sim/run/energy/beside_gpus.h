#pragma once

#include "sim/run/energy/step_energy.h"
#include "sim/topology/cluster.h"
#include "sim/topology/placement/placement.h"

namespace simtrain {

/// Adds what is drawn beside the GPUs of a step, once `energy` has these, the time of the step, the
/// number of GPUs and the PUE: nodes, network and site. More joules of the GPUs, or a longer step,
/// are never less in all.
void add_beside_gpus(StepEnergy& energy, const Cluster& cluster, const Placement& placement);

}  // namespace simtrain
