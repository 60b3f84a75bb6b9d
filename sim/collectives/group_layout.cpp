#include "sim/collectives/group_layout.h"

#include <set>

namespace simtrain {

Duration far_latency(const FabricSpec& fabric) {
  return 2 * (fabric.switch_latency.value + fabric.cable_latency.value);
}

GroupLayout layout_of(const Cluster& cluster, const std::vector<int>& gpus) {
  const NodeSpec& node = cluster.spec().node;
  const int domain_gpus = node.gpus * node.nvlink_domain_nodes.value;
  GroupLayout layout;
  layout.ranks = static_cast<int>(gpus.size());
  std::set<int> domains;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    domains.insert(gpus[i] / domain_gpus);
    const Distance hop = cluster.distance(gpus[i], gpus[(i + 1) % gpus.size()]);
    if (hop == Distance::unit || hop == Distance::fabric) ++layout.network_hops;
    if (hop == Distance::fabric) layout.far_latency += far_latency(cluster.spec().fabric);
  }
  layout.domains = static_cast<int>(domains.size());
  return layout;
}

}  // namespace simtrain
