#pragma once

#include "sim/topology/specs/gpu_spec.h"
#include "sim/workload/parallel/rank_grid.h"
#include "sim/workload/schedule/stage_layout.h"

// Bytes of single tensors and buffers on one rank; stage_memory() adds them up.

namespace simtrain {

/// FP8 copies of one parameter of a layer beside the weight that is kept: none in BF16; one, and on
/// Hopper a turned one, in FP8. `fp8_params` keeps no BF16 weight, so that its first copy is the
/// weight.
double fp8_copy_bytes(const Recipe& recipe, const GpuSpec& gpu);

/// Optimizer state of a parameter: FP32 master weight and Adam moments (12), or Apex's 16-bit
/// remainder and moments (10).
double optimizer_bytes(const Recipe& recipe);

/// Transformer Engine's stand-ins of weight gradients: one BF16 tensor for each shape of weights.
double placeholder_bytes(const Recipe& recipe, bool head);

/// What one layer saves of one micro-batch for its backward, with what is recomputed left out. Per
/// token in BF16: 8h + 4h_q + 4h_kv + 4a + 6f for gated MLPs (4f otherwise), of which 8h, and 2h of
/// dropout masks, are of the rank's own tokens under sequence parallelism. FP8 saves GEMM inputs
/// in one byte.
double layer_activation_bytes(const Recipe& recipe);

/// The dropout mask of the embedding, of one micro-batch; 0 without dropout.
double embedding_mask_bytes(const Recipe& recipe);

/// What the backward of a layer needs beside: FC1's backward (gradients of both sides of the
/// activation and the gathered rows), and all that is computed again.
double layer_temporary_bytes(const Recipe& recipe);

/// Of the head and one micro-batch. The forward at its worst moment: the final norm's tensors, the
/// gathered hidden states, and per logit 2 bytes (fused), 6 (unfused) or 14 (jit).
double loss_peak_bytes(const Recipe& recipe);
/// What is left of it until the backward: the norm's tensors and the softmax, 2 (fused) or 4 bytes.
double loss_saved_bytes(const Recipe& recipe);

/// What one deferred weight gradient of the head keeps: its input as this rank's rows, which are
/// gathered when it runs, and the gradients of its logits.
double deferred_bytes(const Recipe& recipe);

/// The communicators that a rank of a stage opens in a step.
struct Communicators {
  int pairs = 0;   ///< of two ranks
  int larger = 0;  ///< of more
};
/// World, TP, CP, DP x CP, TP x PP (gradient norm), FP8 amax, and for the pipeline one a neighbour
/// (overlapped sends) or one of all stages (batched sends). Those of one rank are not opened.
Communicators communicators(const Recipe& recipe, const RankGrid& grid, int stage);

/// Transformer Engine's user buffers: [M, h] for each of the ten GEMM roles of a layer, one byte an
/// element where FP8 travels.
double user_buffer_bytes(const Recipe& recipe);

}  // namespace simtrain
