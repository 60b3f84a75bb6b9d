#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "sim/collectives/libraries/nccl/tuning.h"
#include "sim/collectives/move_schedule.h"
#include "sim/collectives/transfer_cost.h"

namespace simtrain {

/// One algorithm of NCCL: a file of this folder and a row in `algorithm_rows()`.
struct AlgorithmRow {
  Algorithm algorithm;
  std::string_view help;
  /// Whether NCCL of this version, told this, can run the call with this protocol.
  bool (*offers)(const CollectiveRequest&, const NcclEnvironment&, Protocol);
  /// What the call takes.
  TransferCost (*cost)(const CollectiveRequest&, const NcclEnvironment&, Protocol);
  /// Every message of the call; for the collectives that the algorithm does.
  Schedule (*schedule)(Collective, const GroupShape&);
  /// Bytes that a rank sends in a call of `bytes`, in closed form; equals what the schedule sends.
  SentBytes (*sent)(Collective, double bytes, const GroupShape&, int rank);
};

/// All algorithms among which NCCL chooses; `simtrain list algorithms` prints them.
const std::array<AlgorithmRow, 7>& algorithm_rows();

// The rows, one a file.
AlgorithmRow ring_row();
AlgorithmRow tree_row();
AlgorithmRow collnet_direct_row();
AlgorithmRow collnet_chain_row();
AlgorithmRow nvls_row();
AlgorithmRow nvls_tree_row();
AlgorithmRow pat_row();
/// Point to point: not chosen by NCCL but what an all-to-all is.
AlgorithmRow direct_row();

/// Bus bytes of a call, nccl-tests' busbw times time: S * 2(n-1)/n all-reduce, S * (n-1)/n
/// all-gather, reduce-scatter and all-to-all, S broadcast and send.
Bytes bus_bytes(Collective collective, Bytes bytes, int ranks);

/// A cost with everything that does not depend on the algorithm's timing.
TransferCost start_cost(const CollectiveRequest& request, Algorithm algorithm, Protocol protocol);

/// Sets latency and limit such that the call takes `latency` and then its wire bytes in `seconds`.
void set_time(TransferCost& cost, Duration latency, double seconds);

/// What the NICs of one domain, and the channels over them, let the group have together, in bytes
/// per second.
double domain_network_rate(const GroupLayout& layout, const ClusterSpec& cluster, int channels);

/// A step between domains; `simple` is that of the algorithm with the Simple protocol.
Duration network_hop(const FabricSpec& fabric, Protocol protocol, Duration simple);

/// What a round over the network costs before it moves: the proxies post the first sends of all
/// channels. LL calls are small and take few.
Duration network_start(const GroupLayout& layout, const ClusterSpec& cluster, Protocol protocol);

/// Levels of a binary tree over the domains: ceil(log2).
int tree_levels(int domains);

/// What the busiest rank puts on its links, per wire byte, by an algorithm's closed form.
LinkLoad busiest_load(const AlgorithmRow& row, const CollectiveRequest& request);

/// The most that any domain sends in a double binary tree all-reduce of one byte: a domain inside
/// one tree is a leaf of the other.
double tree_domain_bytes(int domains);

}  // namespace simtrain
