#include <algorithm>

#include "sim/workload/model/operators/operators.h"

namespace simtrain {
namespace {

/// Positions that one product takes in: Megatron core's chunk_size.
constexpr std::int64_t kChunk = 128;
constexpr int kConvolved = 4;  ///< positions, with a bias beside them

// Bytes for each head and token, most of them of FP32 (mamba_ssm's _chunk_cumsum_fwd and
// _mamba_chunk_scan_combined_bwd, as remembered). Forward: a step in BF16 makes it and its sum in
// the chunk (2 + 4 + 4). Backward: the sum of gradients is turned, summed up and turned back (3 of
// 4 + 4), two others are added to it (2 of 4 + 4 + 4), and steps have theirs of both (4 + 4 + 2 +
// 2).
constexpr double kStepsForward = 10;
constexpr double kStepsBackward = 60;

/// The scan of a micro-batch on one rank, chunk by chunk: C B' of each group, the states that each
/// chunk leaves, what states and the chunk itself put out. Operands that the heads of a group share
/// are read once.
class Scan {
 public:
  explicit Scan(const RankShape& shape)
      : type_(shape.recipe.precision().activation.type),
        element_(shape.activation_bytes()),
        dimension_(shape.model().mamba->mamba_head_dim),
        state_(shape.model().mamba->mamba_state_dim),
        chunks_(std::max<std::int64_t>(1, shape.tokens / kChunk)),
        heads_(chunks_ * shape.model().mamba->mamba_num_heads / shape.tp),
        groups_(chunks_ * std::max(1, shape.model().mamba->mamba_num_groups / shape.tp)) {}

  void forward(ProgramBuilder& builder) const {
    steps(builder, kStepsForward);
    states(builder);
    outputs(builder);
  }
  void backward(ProgramBuilder& builder) const {
    steps(builder, kStepsForward);
    states(builder);                                     // again
    product(builder, state_, dimension_, kChunk, true);  // gradients of the states
    pass(builder);
    outputs(builder);                                     // of x
    product(builder, kChunk, state_, dimension_, false);  // of C
    product(builder, kChunk, state_, dimension_, false);  // of B
    product(builder, kChunk, kChunk, dimension_, false);  // of C B'
    for (int operand = 0; operand < 2; ++operand)         // of B and C, by C B'
      builder.kernel(batched(groups_, kChunk, state_, kChunk), Share::attention);
    product(builder, kChunk, kChunk, dimension_, false);  // of the steps' sums in a chunk
    steps(builder, kStepsBackward);
  }

 private:
  void states(ProgramBuilder& builder) const {
    Gemm scores = batched(groups_, kChunk, kChunk, state_);
    scores.output = DataType::fp32;
    builder.kernel(scores, Share::attention);
    product(builder, state_, dimension_, kChunk, true);
    pass(builder);
  }
  void outputs(ProgramBuilder& builder) const {
    product(builder, kChunk, dimension_, state_ + kChunk / 2, false);
  }
  /// Of the time step of each head and token.
  void steps(ProgramBuilder& builder, double bytes) const {
    builder.stream_bytes(StreamingKind::element_wise,
                         bytes * static_cast<double>(heads_) * static_cast<double>(kChunk),
                         Share::attention);
  }
  /// States of FP32 from chunk to chunk.
  void pass(ProgramBuilder& builder) const {
    builder.stream_bytes(
        StreamingKind::element_wise,
        2 * kFp32.bytes() * static_cast<double>(heads_) * static_cast<double>(state_ * dimension_),
        Share::attention);
  }
  void product(ProgramBuilder& builder, std::int64_t m, std::int64_t n, std::int64_t k,
               bool states) const {
    Gemm gemm = batched(heads_, m, n, k);
    gemm.x_bytes *= static_cast<double>(groups_) / static_cast<double>(heads_);
    if (states) gemm.output = DataType::fp32;
    builder.kernel(gemm, Share::attention);
  }
  [[nodiscard]] Gemm batched(std::int64_t groups, std::int64_t m, std::int64_t n,
                             std::int64_t k) const {
    return {.m = m,
            .n = n,
            .k = k,
            .type = type_,
            .output = type_,
            .x_bytes = element_,
            .groups = groups};
  }

  DataType type_;
  double element_;
  std::int64_t dimension_;
  std::int64_t state_;
  std::int64_t chunks_;
  std::int64_t heads_;
  std::int64_t groups_;
};

/// Exchanges of Megatron core's MambaContextParallel (as remembered) around convolution and scan: a
/// rank gives its tokens of most heads for all tokens of some. What in_proj puts out goes there,
/// with B and C repeated where ranks are more than groups; the scan's output and the gate z come
/// back, and backward their gradients in reverse. Tokens are put in the order of the sequence
/// there, and back.
class HeadExchange {
 public:
  explicit HeadExchange(const RankShape& shape) : cp_(shape.recipe.cp()) {
    const MambaSpec& mamba = *shape.model().mamba;
    const std::int64_t tokens = shape.recipe.tokens();
    const std::int64_t groups = std::max(1, mamba.mamba_num_groups / shape.tp);
    const std::int64_t repeats = std::max<std::int64_t>(1, cp_ / groups);
    out_ = tokens * 2 * mamba.inner_size() / shape.tp;
    in_ = out_ + tokens * (repeats * mamba.groups_size() + mamba.mamba_num_heads) / shape.tp;
    element_ = shape.activation_bytes();
  }

  void to_heads(ProgramBuilder& builder) const { move(builder, in_); }
  void to_tokens(ProgramBuilder& builder) const { move(builder, out_); }

 private:
  void move(ProgramBuilder& builder, std::int64_t elements) const {
    if (cp_ == 1) return;
    builder.wait_for(
        builder.context_collective(Collective::all_to_all, elements, builder.last_kernel()));
    builder.stream_bytes(StreamingKind::element_wise, 2 * element_ * static_cast<double>(elements),
                         Share::memory_bound);
  }

  int cp_;
  std::int64_t in_ = 0;
  std::int64_t out_ = 0;
  double element_ = 0;
};

}  // namespace

/// Megatron core's MambaMixer (as remembered): where a micro-batch has several sequences, in_proj's
/// output is copied to have them one after the other, and the scan's output back; the scan writes
/// its output with and without the gate, whose gradients are a kernel of their own
/// (_chunk_scan_bwd_dz: x, z, the output and its gradient in, two out); the norm is another.
Operator mamba_mixer(const RankShape& shape) {
  const MambaSpec& mamba = *shape.model().mamba;
  const Scan scan(shape);
  const HeadExchange exchange(shape);
  const std::int64_t heads = mamba.mamba_num_heads / shape.tp;
  const std::int64_t inner = mamba.inner_size() / shape.tp;
  const std::int64_t convolved = inner + mamba.groups_size() / shape.tp;
  const double element = shape.activation_bytes();
  const double inner_bytes = element * static_cast<double>(inner) * shape.rows;
  const double convolved_bytes = element * static_cast<double>(convolved) * shape.rows;
  const auto stream = [](ProgramBuilder& builder, StreamingKind kind, double bytes) {
    builder.stream_bytes(kind, bytes, Share::memory_bound);
  };
  const double copied_in =
      inner_bytes + convolved_bytes + element * static_cast<double>(heads) * shape.rows;
  // From tokens of all sequences in turn to sequence after sequence, or back.
  const bool copies = shape.recipe.training.micro_batch_size > 1;
  const auto in_order = [=](ProgramBuilder& builder, double bytes) {
    if (copies) stream(builder, StreamingKind::element_wise, 2 * bytes);
  };
  Operator op;
  op.module = "mamba_mixer";
  op.forward = [=](ProgramBuilder& builder) {
    exchange.to_heads(builder);
    in_order(builder, copied_in);
    stream(builder, StreamingKind::element_wise, 2 * convolved_bytes);
    scan.forward(builder);
    in_order(builder, inner_bytes);
    exchange.to_tokens(builder);
    stream(builder, StreamingKind::norm_forward,
           4 * inner_bytes);  // the scan's gate by z, the norm
  };
  op.backward = input_gradient_only([=](ProgramBuilder& builder) {
    stream(builder, StreamingKind::norm_backward, 3 * inner_bytes);
    exchange.to_tokens(builder);
    in_order(builder, inner_bytes);
    stream(builder, StreamingKind::element_wise, 2 * convolved_bytes);
    stream(builder, StreamingKind::element_wise, 6 * inner_bytes);  // of z and the scan's output
    scan.backward(builder);
    stream(builder, StreamingKind::element_wise, 3 * convolved_bytes);
    in_order(builder, copied_in);
    exchange.to_heads(builder);
  });
  // Convolution; A, D and the bias of dt of each head; the gated norm.
  op.weights = {{.rows = convolved, .columns = kConvolved + 1, .sharded_over = {Axis::tp}},
                {.rows = 3 * heads, .sharded_over = {Axis::tp}},
                {.rows = inner, .sharded_over = {Axis::tp}}};
  // What in_proj put out, the scan's output before and behind the gate.
  op.saved = {{copied_in}, {inner_bytes}, {inner_bytes}};
  op.backward_bytes = 2 * (inner_bytes + convolved_bytes);
  // As Megatron counts the scan (num_floating_point_operations).
  op.flops.products =
      7 * shape.rows * static_cast<double>(inner) * static_cast<double>(mamba.mamba_state_dim);
  return op;
}

}  // namespace simtrain
