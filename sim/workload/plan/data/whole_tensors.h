#pragma once

#include <cstdint>
#include <vector>

#include "sim/workload/model/layers/model_parts.h"
#include "sim/workload/schedule/pipeline_layout.h"

namespace simtrain {

/// Elements that each of `ranks` ranks owns where tensors are dealt whole
/// (Sharding::zero1_tensors): the largest first, each to the rank that has least so far; of a
/// chunk's trained tensors whose gradients are summed over a kind of group. Ranks that own none are
/// left out.
std::vector<std::int64_t> whole_tensor_shards(const ModelTotals& totals, const ChunkLayout& chunk,
                                              GroupKind group, int ranks);

}  // namespace simtrain
