#pragma once

#include "sim/workload/schedule/stage_layout.h"

namespace simtrain {

/// What a rank holds of the weights and gradients of a stage, in bytes.
struct HeldState {
  double weights = 0;    ///< in the formats in which they are kept and gathered
  double gradients = 0;  ///< with those on their way to a reduction
};

/// The parameters of a stage that are a rank's own.
struct StateShard {
  double trained = 0;
  double frozen = 0;  ///< kept as they are gathered
};

/// Of sharded parameters (ShardingRow::units): the rank's shard; the largest
/// units that are gathered at a time, twice one of them where parameters are copied out of the
/// gather's buffer, or all units where they stay; the embedding and the head, which stay to their
/// backward; a unit's gradients, as computed and as packed for the reductions on their way; and
/// with pipeline stages the sums over micro-batches of all gradients, which are reduced once a
/// step. What a recipe keeps of the shard on hosts is left out.
HeldState held_units(const Recipe& recipe, const ModelTotals& totals,
                     const std::vector<ChunkLayout>& chunks, const StateShard& shard,
                     int micro_batches);

/// Where each rank keeps a part of the gradients of whole parameters: those that a backward has
/// made of the largest unit, and the buckets that are filled and reduced.
double reduced_at_once(const Recipe& recipe, const ModelTotals& totals,
                       const std::vector<ChunkLayout>& chunks);

}  // namespace simtrain
