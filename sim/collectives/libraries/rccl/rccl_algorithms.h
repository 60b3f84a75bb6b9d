#pragma once

#include "sim/collectives/algorithm.h"
#include "sim/collectives/libraries/rccl/rccl_settings.h"

namespace simtrain {

/// What a collective's time depends on beside the call itself.
struct RcclEnvironment {
  const ClusterSpec& cluster;
  const RcclSettings& settings;
  [[nodiscard]] const RcclGpuSpec& gpu() const { return *cluster.gpu.rccl; }
};

/// Every rank passes on to the next. Rings in all orders of a mesh's GPUs take each of its links
/// equally often, so that together they have all of them; within one node
///
///     base + steps * hop + bus bytes / (link_share * (ranks - 1) * link)
///
/// and between nodes a network hop for each step that leaves one, at the rate of the NICs.
TransferCost rccl_ring(const CollectiveRequest& request, const RcclEnvironment& environment,
                       Protocol protocol);

/// All ranks of one node at once, each with each on the links between them (MSCCL's all-pairs): a
/// round to scatter and reduce, a round to gather.
///
///     base + rounds * hop + bus bytes / (link_share * (ranks - 1) * link)
TransferCost rccl_mesh(const CollectiveRequest& request, const RcclEnvironment& environment,
                       Protocol protocol);
/// Whether RCCL takes it for a call.
bool takes_mesh(const CollectiveRequest& request, const RcclEnvironment& environment);
AlgorithmRow mesh_row();

/// A send to every peer, all at once.
TransferCost rccl_all_to_all(const CollectiveRequest& request, const RcclEnvironment& environment);
/// In a mesh on the one link that joins the two GPUs.
TransferCost rccl_send_receive(Bytes bytes, Distance distance, const RcclEnvironment& environment,
                               const GroupLayout& layout = {});

}  // namespace simtrain
