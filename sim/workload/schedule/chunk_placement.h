#pragma once

namespace simtrain {

struct PipelineShape;

/// Which stage holds which chunk of a model, and where a chunk's output goes. Chunks are numbered
/// through the model from 0 on; of n copies chunk c is part c / n of copy c mod n.
struct ChunkPlacement {
  int (*stage_of)(const PipelineShape& shape, int model_chunk) = nullptr;
  /// From a chunk's stage to that of the next chunk, in the ring of stages: 1, -1, or 0 where one
  /// stage holds both.
  int (*step)(const PipelineShape& shape, int model_chunk) = nullptr;
};

/// Chunk c is on stage c mod PP.
extern const ChunkPlacement kLoopedChunks;
/// Two chunks a stage: chunk c is on stage c, from the middle on on stage 2 PP - 1 - c, so that the
/// first stage holds the embedding and the loss and the last one hands the middle to itself.
extern const ChunkPlacement kChunksInV;
/// Two copies of the model from both ends: part p of the first is on stage p, of the second on
/// stage PP - 1 - p.
extern const ChunkPlacement kChunksFromBothEnds;
/// A stage's own chunks in the V: of the first half of the model and of the second.
inline constexpr int kChunkDown = 0;
inline constexpr int kChunkUp = 1;

}  // namespace simtrain
