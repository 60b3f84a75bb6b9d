#pragma once

#include <vector>

#include "sim/workload/plan/step_plan.h"
#include "sim/workload/schedule/stage_layout.h"

namespace simtrain {

/// The collectives by which one chunk's parameters and gradients cross the data-parallel group,
/// bucket after bucket.
struct ChunkBuckets {
  std::vector<TransferCost> gathers;     ///< parameters, in the order in which forward needs them
  std::vector<TransferCost> reductions;  ///< gradients, in the order in which backward fills them
  std::vector<double> filled_at;         ///< share of the chunk's backward after which each is full
};

/// Splits a chunk into buckets of the recipe's size; none where the group is a single rank.
ChunkBuckets chunk_buckets(const JobContext& context, const ChunkLayout& chunk,
                           const GroupLayout& group);

}  // namespace simtrain
