#include "sim/workload/model/operators/attention/attention_operators.h"

namespace simtrain {
namespace {

/// Elements of the scores of one micro-batch, heads x queries x keys, and the batched products that
/// make and use them. Products with few columns or rows stream the scores.
struct Scores {
  double elements = 0;
  double element_bytes = 0;
  bool dropout = false;
  Gemm scores;          ///< [rows, d] x [d, s]
  Gemm output;          ///< [rows, s] x [s, e]; as that of the gradient of V
  Gemm score_gradient;  ///< [rows, e] x [e, s]
  Gemm query_gradient;  ///< [rows, s] x [s, d]; as that of K
  bool fused_softmax = false;

  [[nodiscard]] double bytes(double per_element) const { return per_element * elements; }
};

/// Bytes of a mask.
constexpr double kMask = 1;
/// Of a score in which PyTorch's operators work.
constexpr double kWide = 4;

/// Whether Megatron's masked softmax (megatron/fused_kernels, `is_kernel_available`) takes scores:
/// 16 bits each, 17 to 16,384 keys, multiples of four queries and of four matrices, one for each
/// warp of a block.
bool fused_softmax_takes(std::int64_t matrices, std::int64_t sequence, double element_bytes) {
  constexpr std::int64_t kWarps = 4;
  return element_bytes == 2 && sequence > 16 && sequence <= 16384 && sequence % 4 == 0 &&
         matrices % kWarps == 0;
}

Scores scores_of(const Recipe& recipe, const AttentionShape& attention) {
  const std::int64_t sequence = recipe.training.seq_length;
  const std::int64_t heads = attention.heads / recipe.tp();
  const std::int64_t matrices = recipe.training.micro_batch_size * heads;
  const std::int64_t rows = matrices * sequence;
  const TensorFormat& format = recipe.precision().activation;
  const auto product = [&](std::int64_t n, std::int64_t k) {
    return Gemm{.m = rows, .n = n, .k = k, .type = format.type, .output = format.type};
  };
  Scores scores;
  scores.elements = static_cast<double>(rows) * static_cast<double>(sequence);
  scores.element_bytes = format.bytes();
  scores.fused_softmax = !SoftwareSpec::is_eager(recipe.software.masked_softmax) &&
                         fused_softmax_takes(matrices, sequence, format.bytes());
  scores.dropout = recipe.model.attention_dropout > 0;
  scores.scores = product(sequence, attention.key_dimension);
  scores.output = product(attention.value_dimension, sequence);
  scores.score_gradient = product(sequence, attention.value_dimension);
  scores.query_gradient = product(attention.key_dimension, sequence);
  return scores;
}

void stream(ProgramBuilder& builder, StreamingKind kind, double bytes) {
  builder.stream_bytes(kind, bytes, Share::attention);
}

/// Dropout of all scores, or of their gradients, where the model has it.
void drop_out(ProgramBuilder& builder, const Scores& scores) {
  if (!scores.dropout) return;
  stream(builder, StreamingKind::element_wise, scores.bytes(2 * scores.element_bytes + kMask));
}

/// From the 16 bits of the products to FP32, or back.
void convert(ProgramBuilder& builder, const Scores& scores) {
  if (scores.element_bytes == kWide) return;
  stream(builder, StreamingKind::element_wise, scores.bytes(scores.element_bytes + kWide));
}

/// The masked softmax of Megatron: one kernel (reads the half below the diagonal, writes all), or
/// PyTorch's operators in FP32: scale by layer, mask, softmax.
void softmax(ProgramBuilder& builder, const Scores& scores) {
  if (scores.fused_softmax)
    return stream(builder, StreamingKind::norm_forward, scores.bytes(1.5 * scores.element_bytes));
  convert(builder, scores);
  stream(builder, StreamingKind::element_wise, scores.bytes(2 * kWide));
  stream(builder, StreamingKind::element_wise, scores.bytes(2 * kWide + kMask));
  stream(builder, StreamingKind::norm_forward, scores.bytes(2 * kWide));
  convert(builder, scores);
}

/// In reverse: one kernel that reads two halves and writes all, or as many as forward.
void softmax_gradient(ProgramBuilder& builder, const Scores& scores) {
  if (scores.fused_softmax)
    return stream(builder, StreamingKind::norm_backward, scores.bytes(2 * scores.element_bytes));
  convert(builder, scores);
  stream(builder, StreamingKind::norm_backward, scores.bytes(3 * kWide));
  stream(builder, StreamingKind::element_wise, scores.bytes(2 * kWide + kMask));
  stream(builder, StreamingKind::element_wise, scores.bytes(2 * kWide));
  convert(builder, scores);
}

/// baddbmm, softmax, dropout, bmm.
void forward(ProgramBuilder& builder, const AttentionShape& attention) {
  const Scores scores = scores_of(builder.recipe(), attention);
  builder.kernel(scores.scores, Share::attention);
  softmax(builder, scores);
  drop_out(builder, scores);
  builder.kernel(scores.output, Share::attention);
}

/// The same in reverse: gradients of V and of the probabilities, dropout, softmax, gradients of Q
/// and K.
void backward(ProgramBuilder& builder, const AttentionShape& attention) {
  const Scores scores = scores_of(builder.recipe(), attention);
  builder.kernel(scores.output, Share::attention);
  builder.kernel(scores.score_gradient, Share::attention);
  drop_out(builder, scores);
  softmax_gradient(builder, scores);
  builder.kernel(scores.query_gradient, Share::attention);
  builder.kernel(scores.query_gradient, Share::attention);
}

}  // namespace

Operator unfused_attention(const RankShape& shape, const AttentionShape& attention) {
  const Scores scores = scores_of(shape.recipe, attention);
  const double element = scores.element_bytes;
  Operator op;
  op.forward = [=](ProgramBuilder& builder) { forward(builder, attention); };
  op.backward = input_gradient_only([=](ProgramBuilder& builder) { backward(builder, attention); });
  // PyTorch's softmax keeps what it wrote, in FP32, beside the product's operand.
  const double wide = scores.fused_softmax || element == kWide ? 0 : kWide;
  op.saved = {{scores.bytes(element + wide + (scores.dropout ? element + kMask : 0)),
               RecomputeModule::core_attn}};
  op.forward_bytes = scores.bytes(scores.fused_softmax ? 2 * element : element + 2 * kWide);
  op.backward_bytes = op.forward_bytes;
  return op;
}

}  // namespace simtrain
