#include "sim/collectives/group_layout.h"

#include <algorithm>

namespace simtrain {
namespace {

std::vector<int> domain_after_domain(const Cluster& cluster, const std::vector<int>& gpus) {
  std::vector<int> ring;
  ring.reserve(gpus.size());
  for (const std::vector<int>& domain : by_domain(cluster, gpus))
    ring.insert(ring.end(), domain.begin(), domain.end());
  return ring;
}

}  // namespace

std::vector<std::vector<int>> by_domain(const Cluster& cluster, const std::vector<int>& gpus) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> place(static_cast<std::size_t>(cluster.hosts().back().domain) + 1,
                                 kNone);
  std::vector<std::vector<int>> domains;
  for (const int gpu : gpus) {
    std::size_t& known = place[static_cast<std::size_t>(cluster.domain_of(gpu))];
    if (known == kNone) {
      known = domains.size();
      domains.emplace_back();
    }
    domains[known].push_back(gpu);
  }
  return domains;
}

GroupLayout layout_of(const Cluster& cluster, const std::vector<int>& gpus) {
  const auto before = [&](int a, int b) { return cluster.domain_of(a) < cluster.domain_of(b); };
  const bool in_order = std::is_sorted(gpus.begin(), gpus.end(), before);
  const std::vector<int> sorted =
      in_order ? std::vector<int>() : domain_after_domain(cluster, gpus);
  const std::vector<int>& ring = in_order ? gpus : sorted;

  GroupLayout layout;
  layout.ranks = static_cast<int>(ring.size());
  layout.domains = 0;
  layout.fewest_per_domain = layout.ranks;
  int in_domain = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const std::size_t next = i + 1 == ring.size() ? 0 : i + 1;
    const Distance hop = cluster.distance(ring[i], ring[next]);
    if (hop > Distance::nvlink_domain) ++layout.network_hops;
    if (hop > Distance::unit) {
      const Duration far = cluster.far_latency(ring[i], ring[next]);
      layout.far_latency += far;
      layout.farthest_latency = std::max(layout.farthest_latency, far);
    }
    layout.widest_hop =
        std::max(layout.widest_hop, in_order ? hop : cluster.distance(gpus[i], gpus[next]));
    ++in_domain;
    if (next != 0 && cluster.domain_of(ring[i]) == cluster.domain_of(ring[next])) continue;
    ++layout.domains;
    layout.fewest_per_domain = std::min(layout.fewest_per_domain, in_domain);
    in_domain = 0;
  }
  return layout;
}

}  // namespace simtrain
