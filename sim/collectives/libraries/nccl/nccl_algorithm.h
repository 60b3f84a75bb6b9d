#pragma once

#include <span>

#include "sim/collectives/libraries/nccl/tuning.h"

namespace simtrain {

/// One algorithm of NCCL: a file of algorithms/ and a row in `nccl_algorithms()`.
struct NcclAlgorithm : AlgorithmRow {
  /// Whether NCCL of this version, under these settings, can run the call with this protocol.
  bool (*offers)(const CollectiveRequest&, const NcclEnvironment&, Protocol) = nullptr;
  /// What the call takes.
  TransferCost (*cost)(const CollectiveRequest&, const NcclEnvironment&, Protocol) = nullptr;
  /// What NCCL counts of it when it chooses.
  TuningCount (*counts)(const TuningCall&) = nullptr;
};

/// All algorithms among which NCCL chooses.
std::span<const NcclAlgorithm> nccl_algorithms();

// The rows, one a file.
NcclAlgorithm ring_row();
NcclAlgorithm tree_row();
NcclAlgorithm collnet_direct_row();
NcclAlgorithm collnet_chain_row();
NcclAlgorithm nvls_row();
NcclAlgorithm nvls_tree_row();
NcclAlgorithm pat_row();
/// Point to point: not chosen by NCCL but what an all-to-all is.
NcclAlgorithm direct_row();

/// What the NICs of one domain, and the channels over them, let the group have together, in bytes
/// per second.
double domain_network_rate(const GroupLayout& layout, const ClusterSpec& cluster, int channels);

/// A step between domains; `simple` is that of the algorithm with the Simple protocol.
Duration network_hop(const FabricSpec& fabric, Protocol protocol, Duration simple);

/// What a round over the network costs before it moves: the proxies post the first sends of all
/// channels. LL calls are small and take few.
Duration network_start(const GroupLayout& layout, const ClusterSpec& cluster, Protocol protocol);

}  // namespace simtrain
