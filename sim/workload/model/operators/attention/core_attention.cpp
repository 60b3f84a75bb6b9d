#include <algorithm>
#include <cmath>

#include "sim/workload/model/operators/attention/attention_operators.h"
#include "sim/workload/model/operators/attention/gathered_attention.h"

namespace simtrain {
namespace {

/// What a rank computes of one micro-batch.
struct Shapes {
  std::int64_t elements = 0;     ///< of the local output tensor
  std::int64_t kv_elements = 0;  ///< of K and V together
  std::int64_t columns = 0;      ///< of Q, K and V together
  Attention diagonal;
  Attention dense;
};

/// Documents instead of sequences, whole ones of about the mean length, with the pairs of all.
void pack(Attention& attention, const PackedSequencesSpec& packed, std::int64_t tokens) {
  const auto all = static_cast<double>(tokens);
  attention.batch = std::max<std::int64_t>(1, std::llround(all / packed.mean()));
  const double length = std::round(all / static_cast<double>(attention.batch));
  attention.queries = static_cast<std::int64_t>(length);
  attention.keys = attention.queries;
  attention.window = 0;
  attention.unevenness =
      all * packed.mean_of_tokens() / (static_cast<double>(attention.batch) * length * length);
}

Shapes shapes_of(const Recipe& recipe, const AttentionShape& attention, Direction direction) {
  const std::int64_t sequence = recipe.training.seq_length / recipe.cp();
  const std::int64_t chunk =
      attention.span.chunk == 0 ? sequence : std::min(attention.span.chunk, sequence);
  const std::int64_t tokens = recipe.tokens();
  Shapes shapes;
  shapes.elements = tokens * attention.output_size() / recipe.tp();
  shapes.kv_elements = tokens * attention.key_value_size() / recipe.tp();
  shapes.columns = (attention.query_size() + attention.key_value_size()) / recipe.tp();
  shapes.diagonal = {recipe.training.micro_batch_size * (sequence / chunk),
                     attention.heads / recipe.tp(),
                     chunk,
                     chunk,
                     attention.key_dimension,
                     true,
                     direction,
                     recipe.attention(),
                     attention.value_dimension,
                     attention.span.window};
  shapes.diagonal.dropout = recipe.model.attention_dropout > 0;
  if (recipe.packed_sequences) pack(shapes.diagonal, *recipe.packed_sequences, tokens);
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
void attention_forward(ProgramBuilder& builder, const AttentionShape& attention) {
  const Shapes shapes = shapes_of(builder.recipe(), attention, Direction::forward);
  if (gathers_keys(builder.recipe(), attention)) {
    const GatheredAttention gathered(builder.recipe(), attention, shapes.diagonal);
    gathered.gather(builder);
    gathered.reorder(builder);
    return gathered.kernels(builder);
  }
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

/// The ring also carries the growing dK/dV backward.
void ring_backward(ProgramBuilder& builder, const Shapes& shapes) {
  const int steps = builder.recipe().cp();
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
}

/// Backward, after which dQ, dK and dV are written into one tensor where they come from one.
/// Gathered keys and values are gathered again, and the sums of their gradients are scattered.
void attention_backward(ProgramBuilder& builder, const AttentionShape& attention) {
  const Recipe& recipe = builder.recipe();
  const Shapes shapes = shapes_of(recipe, attention, Direction::backward);
  // Row-wise dot product of the output and its gradient.
  builder.stream_bytes(StreamingKind::element_wise,
                       2 * element_bytes(builder) * static_cast<double>(shapes.elements),
                       Share::attention);
  if (gathers_keys(recipe, attention)) {
    const GatheredAttention gathered(recipe, attention, shapes.diagonal);
    gathered.gather(builder);
    gathered.reorder(builder);
    gathered.kernels(builder);
    gathered.reorder(builder);
    gathered.scatter(builder);
  } else {
    ring_backward(builder, shapes);
  }
  if (!attention.one_tensor) return;
  const double written = static_cast<double>(shapes.columns) * static_cast<double>(recipe.tokens());
  builder.stream_bytes(StreamingKind::element_wise, 2 * element_bytes(builder) * written,
                       Share::memory_bound);
}

/// Keeps the log-sum-exp.
Operator fused_attention(const RankShape& shape, const AttentionShape& attention) {
  Operator op;
  op.forward = [=](ProgramBuilder& builder) { attention_forward(builder, attention); };
  op.backward =
      input_gradient_only([=](ProgramBuilder& builder) { attention_backward(builder, attention); });
  op.saved = {{4 * shape.rows / shape.tp * attention.heads, RecomputeModule::core_attn}};
  return op;
}

/// Keys that a query sees, twice the mean: as many as there are without a mask.
double seen_twice(const AttentionShape& attention, const Recipe& recipe) {
  if (recipe.packed_sequences) return recipe.packed_sequences->mean_of_tokens();
  const auto sequence = static_cast<double>(recipe.training.seq_length);
  const double reach = attention.span.chunk == 0
                           ? sequence
                           : std::min(sequence, static_cast<double>(attention.span.chunk));
  if (attention.span.window == 0) return reach;
  const double window = std::min(reach, static_cast<double>(attention.span.window));
  return 2 * window - window * window / reach;
}

}  // namespace

Operator core_attention(const RankShape& shape, const AttentionShape& attention) {
  const double element = shape.activation_bytes();
  const double rows = shape.rows / shape.tp;
  const auto inputs = static_cast<double>(attention.query_size() + attention.key_value_size());
  const auto output = static_cast<double>(attention.output_size());
  const bool fused = shape.recipe.attention() != AttentionKernel::unfused;
  Operator op = fused ? fused_attention(shape, attention) : unfused_attention(shape, attention);
  op.module = "core_attention";
  op.saved.insert(op.saved.begin(),
                  {{element * rows * inputs, attention.recomputed_by, OffloadModule::core_attn},
                   {element * rows * output, {}, OffloadModule::attn_proj}});
  op.recompute = RecomputeModule::core_attn;
  op.costly = true;
  op.output_bytes = element * rows * output;
  if (shape.model().softmax_type == SoftmaxType::learnable)
    op.weights = {{.rows = attention.heads / shape.tp, .sharded_over = {Axis::tp}}};
  op.backward_bytes += element * rows * (inputs + output);
  if (gathers_keys(shape.recipe, attention)) {
    const double gathered =
        element * rows * shape.recipe.cp() * static_cast<double>(attention.key_value_size());
    op.forward_bytes += gathered;
    op.backward_bytes += 2 * gathered;  // and their gradients
  }
  op.flops.attention_square = 2 * shape.rows / shape.tp * seen_twice(attention, shape.recipe) *
                              static_cast<double>(attention.query_size() + attention.output_size());
  return op;
}

}  // namespace simtrain
