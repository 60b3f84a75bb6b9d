#include "sim/workload/model/operators/operators.h"

namespace simtrain {
namespace {

/// Bytes moved for each element that is put out: SwiGLU reads two branches, backward writes two.
/// Eager, a squared ReLU is two element-wise kernels, its backward four.
double bytes_per_element(const Recipe& recipe, Direction direction) {
  const bool forward = direction == Direction::forward;
  if (recipe.model.activation == Activation::swiglu) return forward ? 6 : 10;
  if (recipe.model.activation == Activation::squared_relu &&
      recipe.software.squared_relu.value == SquaredRelu::eager)
    return forward ? 8 : 20;
  return forward ? 4 : 6;
}

}  // namespace

Operator mlp_activation(const RankShape& shape) {
  const ModelSpec& model = shape.model();
  const std::int64_t columns = model.ffn_hidden_size / shape.tp;
  const std::int64_t fc1_columns = model.fc1_size() / shape.tp;
  const auto ffn = static_cast<double>(columns);
  const auto branches = static_cast<double>(fc1_columns);
  const auto kernel = [&](Direction direction) {
    const double bytes = bytes_per_element(shape.recipe, direction) * ffn * shape.rows;
    return [bytes](ProgramBuilder& builder) {
      builder.stream_bytes(StreamingKind::element_wise, bytes, Share::memory_bound);
    };
  };
  Operator op;
  op.module = "activation";
  op.forward = kernel(Direction::forward);
  op.backward = input_gradient_only(kernel(Direction::backward));
  op.saved = {{2 * shape.rows * branches}};
  op.backward_bytes = 2 * shape.rows * (branches + ffn);  // gradients of both sides
  return op;
}

}  // namespace simtrain
