#pragma once

#include "sim/topology/specs/gpu_spec.h"
#include "sim/workload/parallel/rank_grid.h"
#include "sim/workload/schedule/stage_layout.h"

// Bytes of single tensors and buffers on one rank; stage_memory() adds them up.

namespace simtrain {

/// Bytes of the quantized copies of one parameter of a layer beside the weight that is kept: none
/// in BF16; in FP8 one, and on Hopper a turned one. Under `fp8_params` the first copy is the
/// weight.
double fp8_copy_bytes(const Recipe& recipe, const GpuSpec& gpu);

/// Transformer Engine's placeholders of weight gradients: one tensor for each shape of a GEMM's
/// weights on the stage.
double placeholder_bytes(const Recipe& recipe, const ModelTotals& totals,
                         const std::vector<ChunkLayout>& chunks);

/// The communicators that a rank opens in a step.
struct Communicators {
  int pairs = 0;   ///< of two ranks
  int larger = 0;  ///< of more
};
/// World, TP, CP, DP x CP, with replicas its two parts, TP x PP (gradient norm), FP8 amax, those of
/// experts, and for the pipeline one for each of the `neighbours` that its stage exchanges messages
/// with (overlapped sends) or one of all stages (batched sends). Those of one rank are not opened.
Communicators communicators(const Recipe& recipe, const RankGrid& grid, int neighbours);

/// Transformer Engine's user buffers or the workspace of PyTorch's symmetric memory, which all
/// layers of a rank share: those of the kind that needs most.
double user_buffer_bytes(const Recipe& recipe, const ModelTotals& totals);

/// Buffers of the library that exchanges tokens of experts, which all layers of a rank share; 0
/// where NCCL does.
double dispatcher_buffer_bytes(const ModelTotals& totals);

}  // namespace simtrain
