#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/workload/model/program_builder.h"

namespace simtrain {

/// What of a backward runs: all of it, or one of the halves into which schedules may split it. The
/// halves hold the same kernels as the whole. Weight gradients are the products of linear modules
/// and experts alone; norms, biases, routers and the embedding have theirs with the input
/// gradient.
enum class BackwardPart : std::uint8_t { whole, input_gradient, weight_gradient };

/// Weights of an operator, as `count` tensors of `rows` x `columns` on each rank.
struct Weight {
  std::int64_t rows = 0;
  std::int64_t columns = 1;
  std::int64_t count = 1;
  /// Axes whose ranks hold parts of it. On all others it is replicated; where TP ranks have it
  /// whole and work on tokens of their own, its gradients are summed over the tensor group too.
  AxisSet sharded_over{};
  bool matrix = false;                       ///< its gradient is a GEMM that accumulates in place
  bool quantized = false;                    ///< it is cast before it is multiplied
  bool adapter = false;                      ///< all others are frozen where a model has some
  GroupKind reduced_over = GroupKind::data;  ///< where gradients of micro-batches are summed

  [[nodiscard]] std::int64_t elements() const { return rows * columns * count; }
};

/// A tensor that the forward of a micro-batch keeps for its backward.
struct SavedTensor {
  double bytes = 0;
  /// The module whose recompute makes it again, beside that of its whole block.
  std::optional<RecomputeModule> dropped_by{};
  std::optional<OffloadModule> offloaded_by{};  ///< the module whose input it is
};

/// When what was dropped is computed again: before the backward of its whole block (its output
/// alone was discarded), or right before its own (a checkpointed function).
enum class RecomputedAt : std::uint8_t { block_backward, own_backward };

/// Floating-point operations of a forward, as papers count models.
struct ModelFlops {
  double products = 0;          ///< of matrix products with weights
  double attention_square = 0;  ///< of the products among tokens, without the causal mask
};

/// Appends kernels and communication to a program.
using Forward = std::function<void(ProgramBuilder& builder)>;
using Backward = std::function<void(ProgramBuilder& builder, BackwardPart part)>;

/// The backward of an operator without weights, or whose weight gradients come with its input
/// gradient: nothing is left for a weight gradient of its own.
Backward input_gradient_only(Forward kernels);

/// What torchtitan's selective checkpointing runs again of a product of a layer: it keeps the
/// result of every other one, in the order q, k, v, output, and the one or two branches and the
/// output of the MLP.
struct PartlyAgain {
  Forward run;
  double share = 1;  ///< of the result
};

/// One module of a block on one rank, and all that it means for a step: what it computes and
/// moves, which weights it has, what it keeps, how it counts. Time, parameters, memory, FLOPs and
/// buffers are folds over operators. Bytes are those of one micro-batch.
struct Operator {
  std::string_view module;  ///< in the words of Megatron
  Forward forward;
  Backward backward;
  std::vector<Weight> weights{};
  std::vector<SavedTensor> saved{};            ///< what it takes in before what it puts out
  std::optional<RecomputeModule> recompute{};  ///< the module that drops what it puts out
  RecomputedAt recomputed_at = RecomputedAt::own_backward;
  double forward_bytes = 0;   ///< alive while its forward runs, saved tensors among them
  double backward_bytes = 0;  ///< alive while the backward of its block runs, beside saved ones
  double deferred_bytes = 0;  ///< from the input gradient to a weight gradient that runs later
  double output_bytes = 0;    ///< of a product, attention or an all-to-all
  bool costly = false;        ///< attention or an all-to-all, which some policies keep too
  std::optional<PartlyAgain> partly_again{};
  bool sized_by_routing = false;  ///< launched with sizes that the host learns in each micro-batch
  double user_buffer_bytes = 0;   ///< of tensor-parallel overlap, where it is on
  double dispatcher_buffer_bytes = 0;  ///< of a library that exchanges tokens
  ModelFlops flops{};
};

/// Whether it is a product with weights.
bool multiplies(const Operator& op);

/// Elements of its weights that are cast before they are multiplied.
std::int64_t quantized_elements(const Operator& op);

}  // namespace simtrain
