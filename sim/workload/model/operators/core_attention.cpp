#include <algorithm>

#include "sim/workload/model/operators/operators.h"

namespace simtrain {
namespace {

struct Shapes {
  std::int64_t elements = 0;     ///< of the local query (or output) tensor
  std::int64_t kv_elements = 0;  ///< of K and V together
  Attention diagonal;
  Attention dense;
};

Shapes shapes_of(const Recipe& recipe, Direction direction) {
  const ModelSpec& model = recipe.model;
  const std::int64_t sequence = recipe.training.seq_length / recipe.cp();
  const std::int64_t tokens = recipe.tokens();
  Shapes shapes;
  shapes.elements = tokens * model.query_size() / recipe.tp();
  shapes.kv_elements = 2 * tokens * model.key_value_size() / recipe.tp();
  shapes.diagonal = {recipe.training.micro_batch_size,
                     model.num_attention_heads / recipe.tp(),
                     sequence,
                     sequence,
                     model.kv_channels,
                     true,
                     direction,
                     recipe.software.attention.value};
  shapes.dense = shapes.diagonal;
  shapes.dense.keys = std::max<std::int64_t>(1, sequence / 2);
  shapes.dense.causal = false;
  return shapes;
}

/// Bytes per output element to merge a step's output and log-sum-exp into the running FP32 one,
/// beside those of that output.
constexpr double kMergeBytes = 9;

double element_bytes(const ProgramBuilder& builder) {
  return builder.recipe().precision().activation.bytes();
}

/// One fused kernel, or under context parallelism c steps of the K/V ring. Rank r of c owns the
/// sequence blocks r and 2c-1-r, so that each step's causal work is the same on every rank: half
/// the square of the local length, on the diagonal in step 0 and as a dense half block in the
/// others, while the next K/V arrives.
void attention_forward(ProgramBuilder& builder) {
  const Shapes shapes = shapes_of(builder.recipe(), Direction::forward);
  const int steps = builder.recipe().cp();
  const std::uint32_t input = builder.last_kernel();
  std::uint32_t received = kNoOp;
  for (int step = 0; step < steps; ++step) {
    const std::uint32_t next =
        step + 1 < steps ? builder.context_exchange(shapes.kv_elements, input) : kNoOp;
    builder.kernel(step == 0 ? shapes.diagonal : shapes.dense, Share::attention, received);
    if (step > 0) {
      builder.stream_bytes(
          StreamingKind::element_wise,
          (kMergeBytes + element_bytes(builder)) * static_cast<double>(shapes.elements),
          Share::attention);
    }
    received = next;
  }
}

/// The same backward: the ring also carries the growing dK/dV, and after its last hop dQ, dK and dV
/// are written into one tensor.
void attention_backward(ProgramBuilder& builder) {
  const Recipe& recipe = builder.recipe();
  const Shapes shapes = shapes_of(recipe, Direction::backward);
  const int steps = recipe.cp();
  // Row-wise dot product of the output and its gradient.
  builder.stream_bytes(StreamingKind::element_wise,
                       2 * element_bytes(builder) * static_cast<double>(shapes.elements),
                       Share::attention);
  std::uint32_t received = kNoOp;
  for (int step = 0; step < steps; ++step) {
    const std::int64_t elements = step == 0 ? shapes.kv_elements : 2 * shapes.kv_elements;
    const std::uint32_t next =
        step + 1 < steps ? builder.context_exchange(elements, builder.last_kernel()) : kNoOp;
    builder.kernel(step == 0 ? shapes.diagonal : shapes.dense, Share::attention, received);
    received = next;
  }
  if (steps > 1) {
    builder.wait_for(builder.context_exchange(shapes.kv_elements, builder.last_kernel()));
  }
  const std::int64_t columns =
      (recipe.model.query_size() + 2 * recipe.model.key_value_size()) / recipe.tp();
  const double written = static_cast<double>(columns) * static_cast<double>(recipe.tokens());
  builder.stream_bytes(StreamingKind::element_wise, 2 * element_bytes(builder) * written,
                       Share::memory_bound);
}

/// Keeps the log-sum-exp.
Operator fused_attention(const RankShape& shape) {
  Operator op;
  op.forward = attention_forward;
  op.backward = input_gradient_only(attention_backward);
  op.saved = {
      {4 * shape.rows / shape.tp * shape.model().num_attention_heads, RecomputeModule::core_attn}};
  return op;
}

}  // namespace

Operator core_attention(const RankShape& shape) {
  const ModelSpec& model = shape.model();
  const double element = shape.activation_bytes();
  const double rows = shape.rows / shape.tp;
  const auto query = static_cast<double>(model.query_size());
  const auto key_value = static_cast<double>(model.key_value_size());
  const bool fused = shape.recipe.software.attention.value != AttentionKernel::unfused;
  Operator op = fused ? fused_attention(shape) : unfused_attention(shape);
  op.module = "core_attention";
  op.saved.insert(op.saved.begin(), {2 * element * rows * (query + key_value)});
  op.recompute = RecomputeModule::core_attn;
  op.backward_bytes += element * rows * (2 * query + 2 * key_value);  // of Q, K, V and the output
  op.flops.attention_square =
      4 * shape.rows / shape.tp * static_cast<double>(shape.recipe.training.seq_length) * query;
  return op;
}

Operator rotary(const RankShape& shape) {
  const ModelSpec& model = shape.model();
  const double turned = static_cast<double>(model.query_size() + model.key_value_size()) /
                        shape.tp * model.rotary_percent;
  const Forward kernel = [bytes = 2 * shape.activation_bytes() * turned *
                                  shape.rows](ProgramBuilder& builder) {
    builder.stream_bytes(StreamingKind::element_wise, bytes, Share::memory_bound);
  };
  Operator op;
  op.module = "rotary";
  op.forward = kernel;
  op.backward = input_gradient_only(kernel);
  return op;
}

}  // namespace simtrain
