#pragma once

#include <string>
#include <vector>

#include "sim/core/watch.h"
#include "sim/run/shared/shared_fabric.h"

namespace simtrain {

/// A way to place a job beside others that are already there.
struct PlacementChoice {
  std::string name;              ///< "compact", "fewest units"
  std::vector<int> hosts;        ///< in the order of its ranks
  double step_s = 0;             ///< of the job, beside the others
  double alone_s = 0;            ///< of the job on these hosts without them
  double others_lost_gpus = 0;   ///< that the others lose to it, as GPUs that might as well not be
  double lost_gpus = 0;          ///< that it loses to them
  std::vector<double> others_s;  ///< by job: steps beside it; of itself step_s
  std::vector<double> others_before_s;  ///< by job: steps without it
};

/// Places the last job of a file in several ways on the hosts that the others leave: as the file
/// says, compact, spread, below the fewest leaves and two draws; those on the same hosts once. The
/// one that costs the others least comes first; of equal ones that in which the job is fastest.
std::vector<PlacementChoice> place_last_job(const FabricScenario& fabric, const Watch& watch = {});

}  // namespace simtrain
