#pragma once

#include "sim/topology/cluster_map.h"

namespace simtrain {

enum class BisectionMethod { max_flow, level_arithmetic };

/// What half of the hosts can send to the other half over the compute network (NICs and switches,
/// no NVLink), one direction.
struct Bisection {
  Bandwidth bandwidth;
  Bandwidth nics;      ///< what the NICs of the half carry together
  int first_host = 0;  ///< the half that sends: `hosts` of them from here on, around the end
  int hosts = 0;       ///< 0 where there is but one host and nothing to cut
  BisectionMethod method = BisectionMethod::max_flow;
};

/// The worst split into two contiguous halves. Up to `most_gpus_for_flow` GPUs it is the least max
/// flow (Boost push-relabel) over all contiguous halves. Above, it is half of the narrowest level
/// that a half has to cross: exact for an even number of equal units, an estimate otherwise.
Bisection bisection(const ClusterMap& map, int most_gpus_for_flow = 1024);

}  // namespace simtrain
