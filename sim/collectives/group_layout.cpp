#include "sim/collectives/group_layout.h"

#include <algorithm>
#include <map>

namespace simtrain {

std::vector<std::vector<int>> by_domain(const Cluster& cluster, const std::vector<int>& gpus) {
  std::map<int, std::size_t> place;
  std::vector<std::vector<int>> domains;
  for (const int gpu : gpus) {
    const auto [known, fresh] = place.try_emplace(cluster.domain_of(gpu), domains.size());
    if (fresh) domains.emplace_back();
    domains[known->second].push_back(gpu);
  }
  return domains;
}

GroupLayout layout_of(const Cluster& cluster, const std::vector<int>& gpus) {
  GroupLayout layout;
  layout.ranks = static_cast<int>(gpus.size());
  const std::vector<std::vector<int>> domains = by_domain(cluster, gpus);
  layout.domains = static_cast<int>(domains.size());
  layout.fewest_per_domain = layout.ranks;
  std::vector<int> ring;
  for (const std::vector<int>& domain : domains) {
    ring.insert(ring.end(), domain.begin(), domain.end());
    layout.fewest_per_domain = std::min(layout.fewest_per_domain, static_cast<int>(domain.size()));
  }
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const std::size_t next = (i + 1) % ring.size();
    const Duration far = cluster.far_latency(ring[i], ring[next]);
    if (cluster.distance(ring[i], ring[next]) > Distance::nvlink_domain) ++layout.network_hops;
    layout.far_latency += far;
    layout.farthest_latency = std::max(layout.farthest_latency, far);
    layout.widest_hop = std::max(layout.widest_hop, cluster.distance(gpus[i], gpus[next]));
  }
  return layout;
}

}  // namespace simtrain
