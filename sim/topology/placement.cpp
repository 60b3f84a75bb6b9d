#include "sim/topology/placement.h"

#include <numeric>

namespace simtrain {

std::vector<int> Placement::gpus(const std::vector<int>& ranks) const {
  std::vector<int> result;
  result.reserve(ranks.size());
  for (const int rank : ranks) result.push_back(gpu(rank));
  return result;
}

Placement place(const Cluster& cluster, PlacementKind kind) {
  Placement placement;
  placement.gpu_of_rank.resize(static_cast<std::size_t>(cluster.gpus()));
  switch (kind) {
    case PlacementKind::compact:
      std::iota(placement.gpu_of_rank.begin(), placement.gpu_of_rank.end(), 0);
      break;
  }
  return placement;
}

}  // namespace simtrain
