#pragma once

#include <vector>

#include "sim/topology/cluster.h"
#include "sim/topology/placement/placement.h"
#include "sim/workload/parallel/rank_grid.h"

namespace simtrain {

/// One rank sends to another, however often. A rank sends and receives one of each kind: its
/// program does with them what the same program does with those of another rank.
struct Message {
  int from = 0;
  int to = 0;
  int kind = 0;
};

/// All that ranks send each other in the pieces of a pass: each to the next of its context-parallel
/// ring. Whatever else a piece may send one day belongs in this list.
std::vector<Message> piece_messages(const RankGrid& grid);
/// The same for a step, beside its passes: each rank to both of its neighbours in the pipeline.
std::vector<Message> step_messages(const RankGrid& grid);

/// How a message goes, as far as it loads links of GPUs: those of the sender and the receiver, and
/// of the GPU whose NIC it leaves by.
struct MessageWay {
  Message message;
  Distance distance{};
  int exit_gpu = 0;     ///< the sender's own, or with PXN another
  bool own = true;      ///< false: it leaves by the NIC of another GPU
  bool leaves = false;  ///< the NVLink domain
};
std::vector<MessageWay> ways_of(const std::vector<Message>& messages, const Cluster& cluster,
                                const Placement& placement);

}  // namespace simtrain
