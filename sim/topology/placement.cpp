#include "sim/topology/placement.h"

#include <numeric>

namespace simtrain {

Placement place(const Cluster& cluster, PlacementKind kind) {
  Placement placement;
  placement.gpu_of_rank.resize(static_cast<std::size_t>(cluster.spec().gpus()));
  switch (kind) {
    case PlacementKind::compact:
      std::iota(placement.gpu_of_rank.begin(), placement.gpu_of_rank.end(), 0);
      break;
  }
  return placement;
}

}  // namespace simtrain
