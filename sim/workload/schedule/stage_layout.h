#pragma once

#include <vector>

#include "sim/workload/model/layers/model_parts.h"
#include "sim/workload/model/recipe.h"
#include "sim/workload/schedule/pipeline_layout.h"

namespace simtrain {

/// The chunks of a stage, in the order of the model: as the recipe's layout says, those that its
/// schedule gives the stage. Without a layout layers are dealt evenly over stages and chunks; where
/// embedding and loss count as layers, theirs have one layer less.
std::vector<ChunkLayout> stage_chunks(const Recipe& recipe, int stage);

/// In which the weights of layers are kept, and in which they are gathered; all others are in the
/// activation format.
const TensorFormat& layer_weight_format(const Recipe& recipe);
const TensorFormat& gathered_weight_format(const Recipe& recipe);

/// Weights of a chunk on one rank of its tensor-parallel group; or those whose gradients are summed
/// over a kind of group.
std::int64_t chunk_parameters(const ModelTotals& totals, const ChunkLayout& chunk);
std::int64_t chunk_parameters(const ModelTotals& totals, const ChunkLayout& chunk, GroupKind group);

/// The groups over which gradients of micro-batches are summed: of all parameters but those of
/// experts, and of those.
inline constexpr std::array kGradientGroups{GroupKind::data, GroupKind::expert_data};

/// Of a chunk's weights those that are trained.
std::int64_t trained_parameters(const ModelTotals& totals, const ChunkLayout& chunk,
                                GroupKind group);
std::int64_t trained_parameters(const PartTotals& part);

/// Of those of a kind of group, the ones of layers that are in the recipe's precision: a run of
/// them in the order of the forward, before which `ahead` others come. Adapters are none of them.
struct LowParameters {
  std::int64_t ahead = 0;
  std::int64_t count = 0;
};
LowParameters low_parameters(const ModelTotals& totals, const ChunkLayout& chunk, GroupKind group);

/// Weights of all chunks of a stage on one such rank.
std::int64_t stage_parameters(const Recipe& recipe, const ModelTotals& totals, int stage);

}  // namespace simtrain
