#pragma once

#include <vector>

#include "sim/workload/model/recipe.h"

namespace simtrain {

/// What one chunk of one stage holds.
struct ChunkLayout {
  int layers = 0;
  bool embedding = false;  ///< first chunk of the first stage
  bool head = false;       ///< last chunk of the last stage: final norm, output layer, loss
};

/// The chunks of a stage. Layers are dealt evenly over stages and chunks, chunk c of all stages
/// before chunk c+1; where embedding and loss count as layers, theirs have one layer less.
std::vector<ChunkLayout> stage_chunks(const Recipe& recipe, int stage);

/// In which a layer's weights are kept and gathered; embedding and output layer are in BF16.
DataType layer_weight_type(const Recipe& recipe);

/// Weights of a chunk on one rank of its tensor-parallel group.
std::int64_t chunk_parameters(const Recipe& recipe, const ChunkLayout& chunk);

/// Weights of all chunks of a stage on one such rank.
std::int64_t stage_parameters(const Recipe& recipe, int stage);

}  // namespace simtrain
