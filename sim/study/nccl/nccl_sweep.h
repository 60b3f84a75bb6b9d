#pragma once

#include <string>
#include <vector>

#include "sim/collectives/group_links.h"
#include "sim/collectives/libraries/nccl/nccl_library.h"

namespace simtrain {

/// What nccl-tests is asked: one collective on the first GPUs of a cluster, over a range of sizes.
struct NcclSweepRequest {
  Collective collective{};
  std::vector<int> gpus;  ///< of the ranks, in rank order
  Bytes least{8};
  Bytes most{1 << 30};
  int factor = 2;  ///< from one size to the next
};

/// One size: what was chosen and what it takes on an otherwise idle cluster.
struct NcclSweepRow {
  TransferCost cost;
  Duration time{};
  /// Size over time, and bus bytes over time, in bytes per second (nccl-tests' algbw and busbw).
  [[nodiscard]] double algorithm_bandwidth() const;
  [[nodiscard]] double bus_bandwidth() const;
};

/// Calls of one communicator on an otherwise idle cluster.
class NcclCommunicator {
 public:
  NcclCommunicator(const Cluster& cluster, const NcclSettings& settings, std::vector<int> gpus);
  [[nodiscard]] NcclSweepRow of(Collective collective, Bytes bytes) const;

 private:
  const Cluster& cluster_;
  const NcclSettings& settings_;
  std::vector<int> gpus_;
  GroupLayout layout_;
  GroupLinks links_;
};

std::vector<NcclSweepRow> nccl_sweep(const Cluster& cluster, const NcclSettings& settings,
                                     const NcclSweepRequest& request);

/// `count` GPUs spread evenly over the first `nodes` nodes, as mpirun places ranks. `count` is a
/// multiple of `nodes`, and no more a node than it has.
std::vector<int> first_gpus(const Cluster& cluster, int nodes, int count);

}  // namespace simtrain
