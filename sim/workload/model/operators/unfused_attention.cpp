#include "sim/workload/model/operators/operators.h"

namespace simtrain {
namespace {

/// Elements of the scores of one micro-batch, heads x queries x keys, and the two batched products
/// that make and use them. Products with few columns or rows stream the scores.
struct Scores {
  double elements = 0;
  double element_bytes = 0;
  bool dropout = false;
  Gemm wide;    ///< [rows, d] x [d, s]: scores, or their gradient
  Gemm narrow;  ///< [rows, s] x [s, d]: the output, or a gradient of Q, K or V

  [[nodiscard]] double bytes(double per_element) const { return per_element * elements; }
};

/// Bytes of a mask.
constexpr double kMask = 1;

Scores scores_of(const Recipe& recipe) {
  const ModelSpec& model = recipe.model;
  const std::int64_t sequence = recipe.training.seq_length;
  const std::int64_t heads = model.num_attention_heads / recipe.tp();
  const std::int64_t rows = recipe.training.micro_batch_size * heads * sequence;
  const TensorFormat& format = recipe.precision().activation;
  Scores scores;
  scores.elements = static_cast<double>(rows) * static_cast<double>(sequence);
  scores.element_bytes = format.bytes();
  scores.dropout = model.attention_dropout > 0;
  scores.wide = {
      .m = rows, .n = sequence, .k = model.kv_channels, .type = format.type, .output = format.type};
  scores.narrow = {
      .m = rows, .n = model.kv_channels, .k = sequence, .type = format.type, .output = format.type};
  return scores;
}

/// Dropout of all scores, or of their gradients, where the model has it.
void drop_out(ProgramBuilder& builder, const Scores& scores) {
  if (!scores.dropout) return;
  builder.stream_bytes(StreamingKind::element_wise, scores.bytes(2 * scores.element_bytes + kMask),
                       Share::attention);
}

/// baddbmm, the masked softmax of Megatron (reads the half below the diagonal, writes all),
/// dropout, bmm.
void forward(ProgramBuilder& builder) {
  const Scores scores = scores_of(builder.recipe());
  builder.kernel(scores.wide, Share::attention);
  builder.stream_bytes(StreamingKind::norm_forward, scores.bytes(1.5 * scores.element_bytes),
                       Share::attention);
  drop_out(builder, scores);
  builder.kernel(scores.narrow, Share::attention);
}

/// The same in reverse: gradients of V and of the probabilities, dropout, softmax (reads two
/// halves, writes all), gradients of Q and K.
void backward(ProgramBuilder& builder) {
  const Scores scores = scores_of(builder.recipe());
  builder.kernel(scores.narrow, Share::attention);
  builder.kernel(scores.wide, Share::attention);
  drop_out(builder, scores);
  builder.stream_bytes(StreamingKind::norm_backward, scores.bytes(2 * scores.element_bytes),
                       Share::attention);
  builder.kernel(scores.narrow, Share::attention);
  builder.kernel(scores.narrow, Share::attention);
}

}  // namespace

Operator unfused_attention(const RankShape& shape) {
  const Scores scores = scores_of(shape.recipe);
  const double element = scores.element_bytes;
  Operator op;
  op.forward = forward;
  op.backward = input_gradient_only(backward);
  op.saved = {
      {scores.bytes(element + (scores.dropout ? element + kMask : 0)), RecomputeModule::core_attn}};
  op.forward_bytes = scores.bytes(2 * element);
  op.backward_bytes = scores.bytes(2 * element);
  return op;
}

}  // namespace simtrain
