#pragma once

#include <string>

#include "sim/collectives/libraries/nccl/nccl_library.h"
#include "sim/collectives/libraries/nccl/nccl_names.h"
#include "sim/collectives/libraries/nccl/tuning.h"
#include "tests/topology/clusters.h"

namespace simtrain::testing {

/// A cluster from hardware/ and NCCL as it is built: one version, nothing set, chunks of 128 KiB.
struct Setup {
  explicit Setup(const std::string& name, int nodes, NcclVersion version = {2, 25, 1})
      : cluster(testing::cluster(name, nodes)) {
    settings.version.value = version;
    settings.nvls.value = true;
    settings.p2p_net_chunk.value = Bytes(128 << 10);
  }
  [[nodiscard]] NcclEnvironment environment() const { return {cluster.spec(), settings}; }

  /// The first `ranks` GPUs, or the first `per_node` of each of `nodes` nodes.
  [[nodiscard]] GroupLayout layout(int ranks) const {
    std::vector<int> gpus;
    gpus.reserve(static_cast<std::size_t>(ranks));
    for (int gpu = 0; gpu < ranks; ++gpu) gpus.push_back(gpu);
    return layout_of(cluster, gpus);
  }
  [[nodiscard]] GroupLayout layout(int nodes, int per_node) const {
    std::vector<int> gpus;
    gpus.reserve(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(per_node));
    for (int node = 0; node < nodes; ++node) {
      for (int gpu = 0; gpu < per_node; ++gpu)
        gpus.push_back(node * cluster.spec().node.gpus + gpu);
    }
    return layout_of(cluster, gpus);
  }

  [[nodiscard]] TransferCost plan(Collective collective, Bytes bytes, int ranks) const {
    return nccl_call({collective, bytes, layout(ranks)}, environment());
  }
  [[nodiscard]] Duration time(Collective collective, Bytes bytes, int ranks) const {
    return plan(collective, bytes, ranks).alone();
  }
  /// NCCL's own estimate in microseconds.
  [[nodiscard]] double tuning(Collective collective, Bytes bytes, const GroupLayout& group,
                              Algorithm algorithm, Protocol protocol) const {
    return tuning_seconds({collective, bytes, group}, algorithm, protocol, environment()) * 1e6;
  }

  Cluster cluster;
  NcclSettings settings;
};

inline constexpr Bytes kMiB{1 << 20};
/// Those among whose algorithms NCCL chooses, and all.
inline constexpr std::array kChosen{Collective::all_reduce, Collective::all_gather,
                                    Collective::reduce_scatter, Collective::broadcast};
inline constexpr std::array kCollectives{Collective::all_reduce,     Collective::all_gather,
                                         Collective::reduce_scatter, Collective::broadcast,
                                         Collective::all_to_all,     Collective::send_receive};

}  // namespace simtrain::testing
