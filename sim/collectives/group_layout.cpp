#include "sim/collectives/group_layout.h"

#include <algorithm>
#include <map>

namespace simtrain {

Duration far_latency(const FabricSpec& fabric, Distance distance) {
  if (distance != Distance::fabric) return Duration(0);
  return 2 * (fabric.switch_latency.value + fabric.cable_latency.value);
}

GroupLayout layout_of(const Cluster& cluster, const std::vector<int>& gpus) {
  const NodeSpec& node = cluster.spec().node;
  const int domain_gpus = node.gpus * node.nvlink_domain_nodes.value;
  GroupLayout layout;
  layout.ranks = static_cast<int>(gpus.size());
  std::map<int, int> domains;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    ++domains[gpus[i] / domain_gpus];
    const Distance hop = cluster.distance(gpus[i], gpus[(i + 1) % gpus.size()]);
    const Duration far = far_latency(cluster.spec().fabric, hop);
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
