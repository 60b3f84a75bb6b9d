#pragma once

#include <string_view>

#include "sim/collectives/group_layout.h"
#include "sim/collectives/move_schedule.h"
#include "sim/collectives/transfer_cost.h"

/// What algorithms share, whichever library runs them.
namespace simtrain {

/// One call on a communicator. `bytes` is nccl-tests' size: the full vector of an all-reduce, the
/// gathered output of an all-gather, the full input of a reduce-scatter, the message of a broadcast
/// or send, the send buffer of an all-to-all.
struct CollectiveRequest {
  Collective collective{};
  Bytes bytes;
  GroupLayout layout;
};

/// One algorithm: which messages it sends. What it takes is the business of the library that runs
/// it.
struct AlgorithmRow {
  Algorithm algorithm{};
  std::string_view help;
  /// Every message of the call; for the collectives that the algorithm does.
  Schedule (*schedule)(Collective, const GroupShape&) = nullptr;
  /// Bytes that a rank sends in a call of `bytes`, in closed form; equals what the schedule sends.
  SentBytes (*sent)(Collective, double bytes, const GroupShape&, int rank) = nullptr;
};

/// Bus bytes of a call, nccl-tests' busbw times time: S * 2(n-1)/n all-reduce, S * (n-1)/n
/// all-gather, reduce-scatter and all-to-all, S broadcast and send.
Bytes bus_bytes(Collective collective, Bytes bytes, int ranks);

/// A cost with everything that does not depend on the algorithm's timing.
TransferCost start_cost(const CollectiveRequest& request, Algorithm algorithm, Protocol protocol);

/// Sets latency and limit such that the call takes `latency` and then its wire bytes in `seconds`.
void set_time(TransferCost& cost, Duration latency, double seconds);

/// What a message between two domains so far apart adds to one below a leaf: two more switches and
/// cables for each level that its way climbs.
Duration climb(const ClusterSpec& cluster, Distance distance);

/// What the busiest rank puts on its links, per wire byte, by an algorithm's closed form.
LinkLoad busiest_load(const AlgorithmRow& row, const CollectiveRequest& request);

/// Levels of a binary tree over the domains: ceil(log2).
int tree_levels(int domains);

/// The most that any domain sends in a double binary tree all-reduce of one byte: a domain inside
/// one tree is a leaf of the other.
double tree_domain_bytes(int domains);

}  // namespace simtrain
