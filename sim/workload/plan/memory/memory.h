#pragma once

#include <vector>

#include "sim/topology/specs/gpu_spec.h"
#include "sim/workload/model/layers/model_parts.h"
#include "sim/workload/model/recipe.h"
#include "sim/workload/parallel/rank_grid.h"
#include "sim/workload/schedule/schedule.h"

namespace simtrain {

/// What fills the memory of a GPU of one pipeline stage, in bytes. The first group is in the
/// framework's allocator, of which what `kept()` counts stays from step to step and the others are
/// those of the worst moment of a step; the second is outside of it.
struct StageMemory {
  double weights = 0;     ///< with their FP8 copies
  double fp8_copies = 0;  ///< of `weights`
  double gradients =
      0;  ///< their buffer, and Transformer Engine's placeholders where it keeps them
  double optimizer = 0;    ///< this rank's shard
  double workspaces = 0;   ///< of GEMMs
  double activations = 0;  ///< of all micro-batches in flight
  double loss = 0;         ///< logits, loss, hidden states; what deferred weight gradients keep
  double temporary = 0;    ///< a layer's backward, where the loss is not the worst moment

  double cuda_context = 0;
  double communicators = 0;  ///< their buffers
  double user_buffers = 0;   ///< of tensor-parallel overlap
  /// Of the library that exchanges tokens of experts, where it is not NCCL.
  double dispatcher_buffers = 0;

  /// In the memory of the rank's host: at its own worst moment of a step, the part of the
  /// optimizer's state with its gradients, and sharded weights.
  double host_activations = 0;
  double host_optimizer = 0;
  double host_weights = 0;

  /// What the allocator is likely to hold beyond what is allocated. No part of `total()`: it gives
  /// such blocks back before it fails.
  double fragmentation = 0;

  [[nodiscard]] double host() const { return host_activations + host_optimizer + host_weights; }
  /// Between steps.
  [[nodiscard]] double kept() const { return weights + gradients + optimizer + workspaces; }
  /// At the worst moment of a step.
  [[nodiscard]] double allocated() const { return kept() + activations + loss + temporary; }
  [[nodiscard]] double outside() const {
    return cuda_context + communicators + user_buffers + dispatcher_buffers;
  }
  /// The least that the stage runs in.
  [[nodiscard]] double total() const { return allocated() + outside(); }
  /// What it is likely to take where there is room.
  [[nodiscard]] double likely() const { return total() + fragmentation; }
};

/// Whether the memory of a GPU takes a plan: not at all; only with less fragmentation of the
/// allocator than usual, so that a run may still fail (a tight plan); or with room for that too.
enum class Room { none, tight, enough };

/// The room of the stage that has least, on GPUs of `capacity` bytes.
Room room_of(const std::vector<StageMemory>& stages, double capacity);

/// Memory of each stage. Per parameter: 2 bytes of BF16 weight and the FP8 copies, the gradient
/// buffer, and the optimizer's state sharded over DP x CP; where gradients or parameters are
/// sharded too, what a rank holds of them (unit_memory.h). Activations follow the schedule, pass by
/// pass. Cheap: nothing is simulated, a step's passes are counted once for each stage.
std::vector<StageMemory> stage_memory(const Recipe& recipe, const GpuSpec& gpu,
                                      const RankGrid& grid);

/// What the passes of a stage hold beyond `kept()`, in bytes.
struct PassMemory {
  /// Of one micro-batch by chunk: from the forward to the end of the backward, or of its input
  /// gradient where it is cut.
  std::vector<double> activations;
  /// From there to the weight gradient of a cut backward: the inputs of linear modules, gathered,
  /// and the gradients of their outputs. What is counted while the input gradient runs is the
  /// larger of both, as one goes while the other comes.
  std::vector<double> for_weight_gradients;
  /// Of `offload`, by chunk: on its way while a pass runs; on the host, beside `activations`.
  std::vector<double> in_flight;
  std::vector<double> offloaded;
  double temporary = 0;   ///< while a backward or input gradient runs
  double loss_peak = 0;   ///< while a forward of the head runs; 0 on stages without it
  double loss_saved = 0;  ///< from then to the end of its backward
  /// Each weight gradient of the head that runs later: from its backward to the flush, or to the
  /// weight gradient of a cut backward.
  double deferred = 0;

  [[nodiscard]] bool head(int chunk) const {
    return loss_peak > 0 && chunk + 1 == static_cast<int>(activations.size());
  }
};
PassMemory pass_memory(const Recipe& recipe, const ModelTotals& totals, int stage);

}  // namespace simtrain
