#pragma once

#include <string>

#include "sim/collectives/collective.h"
#include "tests/topology/clusters.h"

namespace simtrain::testing {

/// A cluster from hardware/ and NCCL settings as most recipes have them: no NVLS, chunks of 2 MiB
/// on two channels.
struct Setup {
  explicit Setup(const std::string& name, int nodes) : cluster(testing::cluster(name, nodes)) {
    settings.p2p_net_chunk.value = Bytes(2 << 20);
    settings.p2p_channels_per_peer.value = 2;
  }
  [[nodiscard]] NcclEnvironment environment() const { return {cluster.spec(), settings}; }

  /// A call on the first `ranks` GPUs.
  [[nodiscard]] TransferCost plan(Collective collective, Bytes bytes, int ranks) const {
    std::vector<int> gpus;
    for (int gpu = 0; gpu < ranks; ++gpu) gpus.push_back(gpu);
    return plan_collective({collective, bytes, layout_of(cluster, gpus)}, environment());
  }
  [[nodiscard]] Duration time(Collective collective, Bytes bytes, int ranks) const {
    const TransferCost cost = plan(collective, bytes, ranks);
    return cost.alone(cost.limit);
  }

  Cluster cluster;
  NcclSettings settings;
};

inline constexpr Bytes kMiB{1 << 20};
inline constexpr std::array kCollectives{Collective::all_reduce, Collective::all_gather,
                                         Collective::reduce_scatter};

}  // namespace simtrain::testing
