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

  [[nodiscard]] double bytes(double per_element) const { return per_element * elements; }
};

/// Bytes of a mask.
constexpr double kMask = 1;

Scores scores_of(const Recipe& recipe, const AttentionShape& attention) {
  const std::int64_t sequence = recipe.training.seq_length;
  const std::int64_t heads = attention.heads / recipe.tp();
  const std::int64_t rows = recipe.training.micro_batch_size * heads * sequence;
  const TensorFormat& format = recipe.precision().activation;
  const auto product = [&](std::int64_t n, std::int64_t k) {
    return Gemm{.m = rows, .n = n, .k = k, .type = format.type, .output = format.type};
  };
  Scores scores;
  scores.elements = static_cast<double>(rows) * static_cast<double>(sequence);
  scores.element_bytes = format.bytes();
  scores.dropout = recipe.model.attention_dropout > 0;
  scores.scores = product(sequence, attention.key_dimension);
  scores.output = product(attention.value_dimension, sequence);
  scores.score_gradient = product(sequence, attention.value_dimension);
  scores.query_gradient = product(attention.key_dimension, sequence);
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
void forward(ProgramBuilder& builder, const AttentionShape& attention) {
  const Scores scores = scores_of(builder.recipe(), attention);
  builder.kernel(scores.scores, Share::attention);
  builder.stream_bytes(StreamingKind::norm_forward, scores.bytes(1.5 * scores.element_bytes),
                       Share::attention);
  drop_out(builder, scores);
  builder.kernel(scores.output, Share::attention);
}

/// The same in reverse: gradients of V and of the probabilities, dropout, softmax (reads two
/// halves, writes all), gradients of Q and K.
void backward(ProgramBuilder& builder, const AttentionShape& attention) {
  const Scores scores = scores_of(builder.recipe(), attention);
  builder.kernel(scores.output, Share::attention);
  builder.kernel(scores.score_gradient, Share::attention);
  drop_out(builder, scores);
  builder.stream_bytes(StreamingKind::norm_backward, scores.bytes(2 * scores.element_bytes),
                       Share::attention);
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
  op.saved = {
      {scores.bytes(element + (scores.dropout ? element + kMask : 0)), RecomputeModule::core_attn}};
  op.forward_bytes = scores.bytes(2 * element);
  op.backward_bytes = scores.bytes(2 * element);
  return op;
}

}  // namespace simtrain
