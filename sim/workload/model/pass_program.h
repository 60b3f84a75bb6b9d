#pragma once

#include <array>

#include "sim/collectives/collective.h"
#include "sim/topology/cluster.h"
#include "sim/workload/kernels/kernel_model.h"
#include "sim/workload/kernels/program.h"
#include "sim/workload/model/recipe.h"

namespace simtrain {

/// The pieces that a pass of a chunk is made of. Each is a program of kernels and of tensor- and
/// context-parallel collectives of one rank, the same on every rank of its TP x CP group.
enum class Piece : std::uint8_t {
  layer_forward,
  layer_backward,
  embedding_forward,
  embedding_backward,
  head_forward,            ///< final norm, output layer, loss
  head_backward,           ///< with the output layer's weight gradient
  head_backward_deferred,  ///< without it
  head_weight_gradient,    ///< it alone, in the flush
  layer_weight_cast,       ///< FP8 copies of a layer's weights, on the first micro-batch
  amax                     ///< FP8: reduction of amax and new scales, once a pass
};
inline constexpr std::size_t kPieces = 10;

/// What pieces are built from. All references outlive the call.
struct PieceContext {
  const Recipe& recipe;
  const ClusterSpec& cluster;
  const KernelModel& kernels;
  std::array<GroupLayout, kGroupKinds> layouts{};  ///< of the groups that pieces call

  [[nodiscard]] const GroupLayout& layout(GroupKind kind) const {
    return layouts[static_cast<std::size_t>(kind)];
  }
  GroupLayout& layout(GroupKind kind) { return layouts[static_cast<std::size_t>(kind)]; }
};

/// Expands one piece into its kernels and collectives.
///
/// Notation: t TP, c CP, M tokens of a TP group, h hidden, M/t tokens of a rank under sequence
/// parallelism. With tp_comm_overlap the GEMMs after an all-gather run as t chunks, each waiting
/// for its part (ring exchange); those before a reduce-scatter run in splits whose parts leave
/// while the next runs (pipeline) or as t chunks (ring exchange); the backward's second gather and
/// its scatter run beside whole GEMMs (bulk). Order and shapes are those of Transformer Engine and
/// Megatron core; see docs/physics.md.
Program piece_program(const PieceContext& context, Piece piece);

}  // namespace simtrain
