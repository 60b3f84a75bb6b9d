#pragma once

#include "sim/run/step/simulated_step.h"

namespace simtrain {

/// What a GPU puts on its own links in one step, in one direction.
struct LinkTraffic {
  double nvlink_bytes = 0;
  double nic_bytes = 0;
};

struct LinkUse {
  LinkTraffic mean;     ///< over all ranks of the job
  LinkTraffic busiest;  ///< each of the rank that has most of it
};

/// Traffic of the step's transfers and of those inside its passes.
LinkUse link_use(const SimulatedStep& simulated);

}  // namespace simtrain
