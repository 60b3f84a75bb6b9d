#pragma once

#include "sim/core/watch.h"
#include "sim/topology/cluster_cache.h"

namespace simtrain {

struct SimulateOptions {
  bool unfold = false;  ///< simulate every rank; gives the same numbers
  /// Clusters shared with other simulations, of any thread; not owned. None: built for this one.
  ClusterCache* clusters = nullptr;
  Watch watch{};  ///< receives the number of ops that have ended
};

}  // namespace simtrain
