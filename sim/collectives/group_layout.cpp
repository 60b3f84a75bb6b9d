#include "sim/collectives/group_layout.h"

#include <set>

namespace simtrain {

GroupLayout layout_of(const Cluster& cluster, const std::vector<int>& gpus) {
  GroupLayout layout;
  layout.ranks = static_cast<int>(gpus.size());
  std::set<int> domains;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const int next = gpus[(i + 1) % gpus.size()];
    domains.insert(cluster.domain_of(gpus[i]));
    if (cluster.distance(gpus[i], next) >= Distance::unit) ++layout.network_hops;
    layout.far_latency += cluster.far_latency(gpus[i], next);
  }
  layout.domains = static_cast<int>(domains.size());
  return layout;
}

}  // namespace simtrain
