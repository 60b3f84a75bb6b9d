#pragma once

#include <vector>

#include "sim/topology/gpu_spec.h"
#include "sim/workload/rank_grid.h"

namespace simtrain {

/// What fills the memory of a GPU of one pipeline stage, in bytes. All but `outside` is in the
/// framework's allocator.
struct StageMemory {
  double weights = 0;
  double gradients = 0;  ///< their buffer, and Transformer Engine's stand-ins where it keeps them
  double optimizer = 0;
  double activations = 0;  ///< of all micro-batches in flight at the worst moment
  double loss = 0;         ///< logits, loss, hidden states; what deferred weight gradients keep
  double temporary = 0;    ///< a layer's working set, where it is more than the loss takes
  double outside = 0;      ///< CUDA context, NCCL and user buffers

  /// Between steps.
  [[nodiscard]] double kept() const { return weights + gradients + optimizer; }
  /// At the worst moment of a step.
  [[nodiscard]] double allocated() const { return kept() + activations + loss + temporary; }
  [[nodiscard]] double total() const { return allocated() + outside; }
};

/// Memory of each stage. Per parameter: 2 bytes of BF16 weight (FP8: 1 or more copies), the
/// gradient buffer, and the optimizer's state sharded over DP x CP (12 bytes: FP32 master and Adam
/// moments; Apex keeps 10, a 16-bit remainder in place of the master). Per layer, micro-batch and
/// token of a rank, BF16: 8h + 4h_q + 4h_kv + 4a + 6f for gated MLPs (4f otherwise), FP8 saves the
/// GEMM inputs in one byte. Micro-batches in flight follow the schedule.
std::vector<StageMemory> stage_memory(const Recipe& recipe, const GpuSpec& gpu,
                                      const RankGrid& grid);

}  // namespace simtrain
