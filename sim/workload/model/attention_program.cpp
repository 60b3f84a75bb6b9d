#include "sim/workload/model/attention_program.h"

namespace simtrain {
namespace {

struct Shapes {
  std::int64_t local_sequence = 0;
  std::int64_t elements = 0;  ///< of the local query (or output) tensor
  std::int64_t kv_bytes = 0;  ///< of K and V together
  Attention diagonal;
  Attention dense;
};

Shapes shapes_of(const ProgramBuilder& builder, Direction direction) {
  const Recipe& recipe = builder.recipe();
  const ModelSpec& model = recipe.model;
  Shapes shapes;
  shapes.local_sequence = recipe.training.seq_length / recipe.cp();
  const std::int64_t tokens = recipe.tokens();
  shapes.elements = tokens * model.query_size() / recipe.tp();
  shapes.kv_bytes = 2 * tokens * model.key_value_size() / recipe.tp() * bytes_of(DataType::bf16);
  shapes.diagonal = {recipe.training.micro_batch_size,
                     model.num_attention_heads / recipe.tp(),
                     shapes.local_sequence,
                     shapes.local_sequence,
                     model.kv_channels,
                     true,
                     direction,
                     recipe.software.attention.value};
  shapes.dense = shapes.diagonal;
  shapes.dense.keys = std::max<std::int64_t>(1, shapes.local_sequence / 2);
  shapes.dense.causal = false;
  return shapes;
}

/// Bytes per output element to merge a step's output and log-sum-exp into the running FP32 one.
constexpr double kMergeBytes = 11;

}  // namespace

void attention_forward(ProgramBuilder& builder) {
  const Shapes shapes = shapes_of(builder, Direction::forward);
  const int steps = builder.recipe().cp();
  const std::uint32_t input = builder.last_kernel();
  std::uint32_t received = kNoOp;
  for (int step = 0; step < steps; ++step) {
    const std::uint32_t next =
        step + 1 < steps ? builder.context_exchange(shapes.kv_bytes, input) : kNoOp;
    builder.kernel(step == 0 ? shapes.diagonal : shapes.dense, Share::attention, received);
    if (step > 0) {
      builder.stream_bytes(StreamingKind::element_wise,
                           kMergeBytes * static_cast<double>(shapes.elements), Share::attention);
    }
    received = next;
  }
}

std::uint32_t attention_backward(ProgramBuilder& builder) {
  const Shapes shapes = shapes_of(builder, Direction::backward);
  const int steps = builder.recipe().cp();
  // Row-wise dot product of the output and its gradient.
  builder.stream_bytes(StreamingKind::element_wise, 4.0 * static_cast<double>(shapes.elements),
                       Share::attention);
  std::uint32_t received = kNoOp;
  for (int step = 0; step < steps; ++step) {
    const std::int64_t bytes = step == 0 ? shapes.kv_bytes : 2 * shapes.kv_bytes;
    const std::uint32_t next =
        step + 1 < steps ? builder.context_exchange(bytes, builder.last_kernel()) : kNoOp;
    builder.kernel(step == 0 ? shapes.diagonal : shapes.dense, Share::attention, received);
    received = next;
  }
  return steps > 1 ? builder.context_exchange(shapes.kv_bytes, builder.last_kernel()) : kNoOp;
}

}  // namespace simtrain
