#pragma once

#include <vector>

#include "sim/topology/cluster.h"

namespace simtrain {

/// How the ranks of one communicator lie in the cluster, as far as a collective's time depends on
/// it. The ring goes domain after domain, in rank order inside each, and closes.
struct GroupLayout {
  int ranks = 1;
  int domains = 1;              ///< NVLink domains that the group touches
  int fewest_per_domain = 1;    ///< ranks of the domain with the fewest: its NICs bind first
  int network_hops = 0;         ///< ring hops that leave an NVLink domain
  Duration far_latency{};       ///< what ways beyond one leaf add, summed over the ring's hops
  Duration farthest_latency{};  ///< the same, of the farthest hop
  Distance widest_hop{};        ///< how far apart ranks that follow each other are at most

  friend bool operator==(const GroupLayout&, const GroupLayout&) = default;

  /// Mean ranks of a domain.
  [[nodiscard]] double ranks_per_domain() const {
    return static_cast<double>(ranks) / static_cast<double>(domains);
  }
};

/// The GPUs of a communicator by NVLink domain, in rank order.
std::vector<std::vector<int>> by_domain(const Cluster& cluster, const std::vector<int>& gpus);

/// The layout of a group given the GPUs of its ranks in rank order.
GroupLayout layout_of(const Cluster& cluster, const std::vector<int>& gpus);

}  // namespace simtrain
