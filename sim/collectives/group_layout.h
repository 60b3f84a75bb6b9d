#pragma once

#include <vector>

#include "sim/topology/cluster.h"

namespace simtrain {

/// How the ranks of one communicator lie in the cluster, as far as a collective's time depends on
/// it. The ring follows rank order and closes.
struct GroupLayout {
  int ranks = 1;
  int domains = 1;         ///< NVLink domains that the group touches
  int network_hops = 0;    ///< ring hops that leave an NVLink domain
  Duration far_latency{};  ///< what ways beyond one leaf add, summed over the ring's hops

  friend bool operator==(const GroupLayout&, const GroupLayout&) = default;

  /// Ranks that share a domain's way out; 1 where each rank is alone in its domain.
  [[nodiscard]] double ranks_per_domain() const {
    return static_cast<double>(ranks) / static_cast<double>(domains);
  }
};

/// The layout of a group given the GPUs of its ranks in rank order.
GroupLayout layout_of(const Cluster& cluster, const std::vector<int>& gpus);

}  // namespace simtrain
