#include "sim/collectives/group_layout.h"

#include <algorithm>
#include <map>

namespace simtrain {

GroupLayout layout_of(const Cluster& cluster, const std::vector<int>& gpus) {
  GroupLayout layout;
  layout.ranks = static_cast<int>(gpus.size());
  std::map<int, int> domains;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const int next = gpus[(i + 1) % gpus.size()];
    ++domains[cluster.domain_of(gpus[i])];
    const Distance hop = cluster.distance(gpus[i], next);
    const Duration far = cluster.far_latency(gpus[i], next);
    if (hop > Distance::nvlink_domain) ++layout.network_hops;
    layout.far_latency += far;
    layout.farthest_latency = std::max(layout.farthest_latency, far);
    layout.widest_hop = std::max(layout.widest_hop, hop);
  }
  layout.domains = static_cast<int>(domains.size());
  layout.fewest_per_domain = layout.ranks;
  for (const auto& [domain, members] : domains)
    layout.fewest_per_domain = std::min(layout.fewest_per_domain, members);
  return layout;
}

}  // namespace simtrain
