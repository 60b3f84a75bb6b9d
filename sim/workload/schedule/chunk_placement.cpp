#include "sim/workload/schedule/chunk_placement.h"

#include "sim/workload/schedule/schedule.h"

namespace simtrain {
namespace {

int stage_in_turn(const PipelineShape& shape, int model_chunk) {
  return model_chunk % shape.stages;
}

int step_in_turn(const PipelineShape& shape, int /*model_chunk*/) {
  return shape.stages > 1 ? 1 : 0;
}

int stage_in_v(const PipelineShape& shape, int model_chunk) {
  return model_chunk < shape.stages ? model_chunk : 2 * shape.stages - 1 - model_chunk;
}

int step_in_v(const PipelineShape& shape, int model_chunk) {
  if (model_chunk + 1 == shape.stages) return 0;
  return model_chunk < shape.stages ? 1 : -1;
}

int stage_from_both_ends(const PipelineShape& shape, int model_chunk) {
  const int part = model_chunk / 2;
  return model_chunk % 2 == 0 ? part : shape.stages - 1 - part;
}

int step_from_both_ends(const PipelineShape& /*shape*/, int model_chunk) {
  return model_chunk % 2 == 0 ? 1 : -1;
}

}  // namespace

const ChunkPlacement kLoopedChunks{stage_in_turn, step_in_turn};
const ChunkPlacement kChunksInV{stage_in_v, step_in_v};
const ChunkPlacement kChunksFromBothEnds{stage_from_both_ends, step_from_both_ends};

}  // namespace simtrain
