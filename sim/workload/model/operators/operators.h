#pragma once

#include "sim/workload/model/operators/operator.h"
#include "sim/workload/model/operators/rank_shape.h"
#include "sim/workload/model/overlapped_gemm.h"

namespace simtrain {

// The operators that blocks are made of. Order, shapes and bytes are those of Transformer Engine
// and Megatron core. Notation: t TP, M tokens of a TP group, h hidden, M/t tokens of a rank under
// sequence parallelism; n columns of one rank. Formats are those of the recipe's precision.

/// A norm of the rank's own tokens: reads hidden states and writes the operand of the linear module
/// behind it; backward reads two tensors of hidden states and writes one. Saves its input, and its
/// output unless `recompute` makes it again.
struct NormSpec {
  std::string_view module;
  Share share{};
  std::optional<RecomputeModule> recompute{};
};
Operator norm(const RankShape& shape, const NormSpec& spec);

/// [M, h] x [h, n]: the input is gathered from the TP group, and once more for the weight gradient,
/// beside the data gradient, whose sum is scattered beside the weight gradient.
struct ColumnParallelSpec {
  std::string_view module;
  std::int64_t columns = 0;
  GemmPlace place = GemmPlace::layer;
  bool saves_input = false;  ///< where no norm before it saves that tensor
  TpOverlapEntry TpOverlapTable::*dgrad = nullptr;
  TpOverlapEntry TpOverlapTable::*wgrad = nullptr;
};
Operator column_parallel(const RankShape& shape, const ColumnParallelSpec& spec);

/// [M, n] x [n, h]: the output is summed over the TP group and scattered; its gradient is gathered.
struct RowParallelSpec {
  std::string_view module;
  std::int64_t columns = 0;
  bool saves_input = true;  ///< false: the module before it saves that tensor
  GemmPlace place = GemmPlace::layer;
  TpOverlapEntry TpOverlapTable::*fprop = nullptr;
};
Operator row_parallel(const RankShape& shape, const RowParallelSpec& spec);

/// Rotary embedding of queries and keys, forward and backward alike.
Operator rotary(const RankShape& shape);

/// Core attention: one fused kernel, or the steps of the context-parallel ring, or the kernels of
/// unfused_attention. Saves Q, K, V and its output, and what the kernels keep: fused ones the
/// log-sum-exp.
Operator core_attention(const RankShape& shape);

/// The kernels of attention before fused ones: all scores go through memory, between two batched
/// products, a softmax with its mask and a dropout. Keeps the probabilities, with dropout also its
/// output and mask. Megatron-LM to 2022 (Korthikanti et al., arXiv 2205.05198, count 5 bytes a
/// score). Not split over context.
Operator unfused_attention(const RankShape& shape);

/// The MLP's activation function, on one or two (gated) branches of `columns` on the rank.
Operator mlp_activation(const RankShape& shape, std::int64_t columns);
/// Elements moved for each that it puts out.
double activation_moves(const Recipe& recipe, Direction direction);

/// What joins a block's branch to the residual stream: dropout and addition forward, the dropout's
/// mask backward. The gradients of both ways are added by `join_gradients`.
Operator residual(const RankShape& shape);
void join_gradients(ProgramBuilder& builder, const RankShape& shape);

/// The embedding table, over the vocabulary of one rank; sums are scattered.
Operator word_embeddings(const RankShape& shape);

/// Cross entropy over the vocabulary of the TP group. Its gradient is made in the forward.
Operator cross_entropy(const RankShape& shape);

}  // namespace simtrain
