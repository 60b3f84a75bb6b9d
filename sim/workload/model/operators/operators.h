#pragma once

#include <vector>

#include "sim/workload/model/operators/operator.h"
#include "sim/workload/model/operators/rank_shape.h"
#include "sim/workload/model/overlap/overlapped_gemm.h"

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
  std::int64_t columns = 0;               ///< 0: hidden
  std::optional<OffloadModule> input{};   ///< the module that offloads what it takes in
  std::optional<OffloadModule> output{};  ///< that of the linear module behind it
};
Operator norm(const RankShape& shape, const NormSpec& spec);

/// [M, h] x [h, n]: the input is gathered from the TP group, and once more for the weight gradient,
/// beside the data gradient, whose sum is scattered beside the weight gradient.
struct ColumnParallelSpec {
  std::string_view module;
  std::int64_t columns = 0;
  std::int64_t inputs = 0;  ///< columns of the input; 0: hidden
  bool bias = false;
  GemmPlace place = GemmPlace::layer;
  bool saves_input = false;  ///< where no norm before it saves that tensor
  bool gathers_unquantized = false;
  /// Columns of the modules that it is where software has separate ones; none: it is one.
  std::vector<std::int64_t> separate{};
  std::int64_t columns_again = 0;  ///< of PartlyAgain
  TpOverlapEntry TpOverlapTable::*dgrad = nullptr;
  TpOverlapEntry TpOverlapTable::*wgrad = nullptr;
};
Operator column_parallel(const RankShape& shape, const ColumnParallelSpec& spec);

/// [M, n] x [n, h]: the output is summed over the TP group and scattered; its gradient is gathered.
struct RowParallelSpec {
  std::string_view module;
  std::int64_t columns = 0;
  bool bias = false;
  bool saves_input = true;  ///< false: the module before it saves that tensor
  GemmPlace place = GemmPlace::layer;
  bool again = false;  ///< PartlyAgain, where no sum over TP ranks is kept
  TpOverlapEntry TpOverlapTable::*fprop = nullptr;
};
Operator row_parallel(const RankShape& shape, const RowParallelSpec& spec);

/// The cast of hidden states that a norm put out as they are, because others read them too: the
/// operand of the column-parallel module behind it.
Operator quantized_input(const RankShape& shape, std::string_view module);

/// [M/t, k] x [k, n] with weights that all ranks of the TP group have whole, over the rank's own
/// tokens: nothing is gathered or scattered. Its input is quantized by a kernel of its own.
struct DuplicatedSpec {
  std::string_view module;
  std::int64_t inputs = 0;
  std::int64_t columns = 0;
  bool all_rows = false;  ///< over the tokens of the group: M, not M/t
  bool detached = false;  ///< no gradient of its input
  /// Whether another module read the same input, so that the gradients of both are added.
  bool joins = false;
  bool saves_input = false;  ///< no operator before it keeps what it takes in
};
Operator duplicated_linear(const RankShape& shape, const DuplicatedSpec& spec);

/// Columns on a rank of each branch of an MLP's first module: two where it is gated, else one.
std::vector<std::int64_t> branches_of(const RankShape& shape, std::int64_t ffn);
/// The MLP's activation function, on one or two (gated) branches of `columns` on the rank.
Operator mlp_activation(const RankShape& shape, std::int64_t columns);
/// Elements moved for each that it puts out.
double activation_moves(const Recipe& recipe, Direction direction);
/// Whether kernels of their own cut off the branches of a gated unit, and keep them once more.
bool clamps_apart(const RankShape& shape);
/// Bytes that the kernels of an activation move for an element put out, each, with those of
/// PyTorch's own that cut off the branches of a gated unit: before it, and back behind it.
std::vector<double> with_clamp(const RankShape& shape, Direction direction,
                               std::vector<double> kernels);

/// What of a Mamba-2 layer is between its linear modules (mamba_ssm's
/// mamba_split_conv1d_scan_combined; Dao and Gu, arXiv 2405.21060): a short convolution, the scan
/// in chunks as batched products, a gated norm. Its backward makes the convolution and the states
/// again. Saves its input and the scan's output before and behind the gate.
Operator mamba_mixer(const RankShape& shape);

/// What of a Gated DeltaNet layer is between its linear modules (Yang et al., arXiv 2412.06464;
/// flash-linear-attention's chunk_gated_delta_rule as Megatron core calls it): a short convolution,
/// queries and keys repeated to the heads of values and normed, the delta rule in chunks as batched
/// products, a gated norm. Its backward makes the chunks' states again. Saves its input, what the
/// convolution put out, the inverse of each chunk and the rule's output.
Operator gated_delta_rule(const RankShape& shape);

/// What joins a block's branch to the residual stream: dropout and addition forward, the dropout's
/// mask backward. The gradients of both ways are added by `join_gradients`.
Operator residual(const RankShape& shape);
void join_gradients(ProgramBuilder& builder, const RankShape& shape);

/// The embedding table, over the vocabulary of one rank; sums are scattered.
Operator word_embeddings(const RankShape& shape);

/// Cross entropy over the vocabulary of the TP group. Its gradient is made in the forward.
Operator cross_entropy(const RankShape& shape);

}  // namespace simtrain
