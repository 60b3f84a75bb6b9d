#include <algorithm>

#include "sim/workload/model/operators/operators.h"

namespace simtrain {
namespace {

/// Positions that one product takes in: flash-linear-attention's chunk.
constexpr std::int64_t kDeltaChunk = 64;

/// The delta rule of a micro-batch on one rank, chunk by chunk and head by head of the values.
/// C positions, keys of dk, values of dv.
class DeltaRule {
 public:
  explicit DeltaRule(const RankShape& shape)
      : type_(shape.recipe.precision().activation.type),
        element_(shape.activation_bytes()),
        keys_(shape.model().gated_delta_net->linear_key_head_dim),
        values_(shape.model().gated_delta_net->linear_value_head_dim),
        groups_(std::max<std::int64_t>(1, shape.tokens / kDeltaChunk) *
                shape.model().gated_delta_net->linear_num_value_heads / shape.tp) {}

  void forward(ProgramBuilder& builder) const {
    inverse(builder);
    states(builder);
    product(builder, kDeltaChunk, values_, keys_);        // of earlier chunks
    product(builder, kDeltaChunk, kDeltaChunk, keys_);    // Q K'
    product(builder, kDeltaChunk, values_, kDeltaChunk);  // of the chunk itself
  }

  void backward(ProgramBuilder& builder) const {
    states(builder);                                      // again
    product(builder, kDeltaChunk, kDeltaChunk, keys_);    // Q K'
    product(builder, kDeltaChunk, values_, kDeltaChunk);  // of values, in the chunk
    for (int part = 0; part < 2; ++part)                  // of states, by Q and by W
      product(builder, keys_, values_, kDeltaChunk);
    product(builder, kDeltaChunk, values_, keys_);  // of values, by states
    pass(builder);
    for (int operand = 0; operand < 3; ++operand)  // of Q, K and W, by states
      product(builder, kDeltaChunk, keys_, values_);
    product(builder, kDeltaChunk, kDeltaChunk, values_);  // of Q K'
    for (int operand = 0; operand < 2; ++operand)         // of Q and K, in the chunk
      product(builder, kDeltaChunk, keys_, kDeltaChunk);
    product(builder, kDeltaChunk, kDeltaChunk, keys_ + values_);  // of the inverse, by W and U
    product(builder, kDeltaChunk, keys_ + values_, kDeltaChunk);  // of what W and U are made of
    for (int side = 0; side < 2; ++side)                          // of K K'
      product(builder, kDeltaChunk, kDeltaChunk, kDeltaChunk);
    product(builder, kDeltaChunk, keys_, kDeltaChunk);  // of K, by K K'
  }

  /// Of the inverses that the forward keeps.
  [[nodiscard]] double inverse_bytes() const {
    return element_ * static_cast<double>(groups_ * kDeltaChunk * kDeltaChunk);
  }

 private:
  /// (1 + K K')^-1 of each chunk: solved in place in FP32.
  void inverse(ProgramBuilder& builder) const {
    product(builder, kDeltaChunk, kDeltaChunk, keys_, true);
    product(builder, kDeltaChunk, kDeltaChunk, kDeltaChunk / 2, true);
  }
  /// W and U of each chunk, and the states that chunks leave one after the other.
  void states(ProgramBuilder& builder) const {
    product(builder, kDeltaChunk, keys_ + values_, kDeltaChunk);
    product(builder, kDeltaChunk, values_, keys_);
    product(builder, keys_, values_, kDeltaChunk);
    pass(builder);
  }
  /// States between chunks are written and read.
  void pass(ProgramBuilder& builder) const {
    builder.stream_bytes(
        StreamingKind::element_wise,
        2 * element_ * static_cast<double>(groups_) * static_cast<double>(keys_ * values_),
        Share::attention);
  }
  void product(ProgramBuilder& builder, std::int64_t m, std::int64_t n, std::int64_t k,
               bool wide = false) const {
    builder.kernel(Gemm{.m = m,
                        .n = n,
                        .k = k,
                        .type = type_,
                        .output = wide ? DataType::fp32 : type_,
                        .x_bytes = element_,
                        .groups = groups_},
                   Share::attention);
  }

  DataType type_;
  double element_;
  std::int64_t keys_;
  std::int64_t values_;
  std::int64_t groups_;
};

}  // namespace

Operator gated_delta_rule(const RankShape& shape) {
  const GatedDeltaNetSpec& net = *shape.model().gated_delta_net;
  const DeltaRule rule(shape);
  const std::int64_t heads = net.linear_num_value_heads / shape.tp;
  const std::int64_t value = net.value_size() / shape.tp;
  const std::int64_t convolved = 2 * net.key_size() / shape.tp + value;
  const double element = shape.activation_bytes();
  const auto bytes_of_columns = [&](std::int64_t columns) {
    return element * static_cast<double>(columns) * shape.rows;
  };
  const double value_bytes = bytes_of_columns(value);
  const double convolved_bytes = bytes_of_columns(convolved);
  const double repeated_bytes = bytes_of_columns(2 * heads * net.linear_key_head_dim);
  const auto stream = [](ProgramBuilder& builder, StreamingKind kind, double bytes) {
    builder.stream_bytes(kind, bytes, Share::memory_bound);
  };
  Operator op;
  op.module = "gated_delta_rule";
  op.forward = [=](ProgramBuilder& builder) {
    stream(builder, StreamingKind::element_wise, 2 * convolved_bytes);
    stream(builder, StreamingKind::element_wise, 2 * repeated_bytes);  // to the heads of values
    stream(builder, StreamingKind::norm_forward, 2 * repeated_bytes);
    rule.forward(builder);
    stream(builder, StreamingKind::norm_forward, 3 * value_bytes);  // of the output, gated
  };
  op.backward = input_gradient_only([=](ProgramBuilder& builder) {
    stream(builder, StreamingKind::norm_backward, 5 * value_bytes);
    rule.backward(builder);
    stream(builder, StreamingKind::norm_backward, 3 * repeated_bytes);
    stream(builder, StreamingKind::element_wise, 2 * repeated_bytes);
    stream(builder, StreamingKind::element_wise, 3 * convolved_bytes);
  });
  // Convolution; A and the bias of dt of each head; the gated norm, which heads share.
  op.weights = {
      {.rows = convolved, .columns = net.linear_conv_kernel_dim, .sharded_over = {Axis::tp}},
      {.rows = 2 * heads, .sharded_over = {Axis::tp}},
      {.rows = net.linear_value_head_dim}};
  // What in_proj put out; queries, keys and values behind the convolution; the decay of each head
  // in FP32.
  op.saved = {{convolved_bytes + value_bytes + bytes_of_columns(2 * heads)},
              {repeated_bytes + value_bytes},
              {rule.inverse_bytes() + kFp32.bytes() * static_cast<double>(heads) * shape.rows},
              {value_bytes}};
  op.backward_bytes = repeated_bytes + 2 * (value_bytes + convolved_bytes);
  // As Megatron counts the rule and the convolution (num_floating_point_operations): four products
  // of a state for each token and head.
  op.flops.products =
      2 * shape.rows *
      (4 * static_cast<double>(heads * net.linear_value_head_dim * net.linear_value_head_dim) +
       static_cast<double>(convolved * net.linear_conv_kernel_dim));
  return op;
}

}  // namespace simtrain
