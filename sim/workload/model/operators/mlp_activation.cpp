#include "sim/workload/model/operators/operators.h"

namespace simtrain {
namespace {

bool is_eager_swiglu(const Recipe& recipe) {
  return recipe.model.activation == Activation::swiglu &&
         SoftwareSpec::is_eager(recipe.software.swiglu);
}

/// Forward both branches are cut off, each by a kernel, and joined. Back that which is bounded
/// above alone has a mask and a choice, the other two masks, what both have in common and a choice;
/// their gradients are joined. Megatron core's weighted_bias_quick_geglu_impl and PyTorch's
/// autograd, as remembered.
std::vector<double> clamp_kernels(double element, Direction direction) {
  if (direction == Direction::forward) return {2 * element, 2 * element, 4 * element};
  constexpr double kMask = 1;
  const double mask = element + kMask;
  const double choice = kMask + 2 * element;
  return {mask, choice, mask, mask, 3 * kMask, choice, 4 * element};
}

}  // namespace

/// SwiGLU reads two branches, backward writes two; eager it is a SiLU and a product, backward two
/// products and the gradient of the SiLU. Eager, a squared ReLU is two element-wise kernels, its
/// backward four.
double activation_moves(const Recipe& recipe, Direction direction) {
  const bool forward = direction == Direction::forward;
  if (is_eager_swiglu(recipe)) return forward ? 2 + 3 : 2 * 3 + 3;
  if (recipe.model.activation == Activation::swiglu) return forward ? 3 : 5;
  if (recipe.model.activation == Activation::squared_relu &&
      recipe.software.squared_relu.value == Fusion::eager)
    return forward ? 4 : 10;
  return forward ? 2 : 3;
}

std::vector<std::int64_t> branches_of(const RankShape& shape, std::int64_t ffn) {
  const std::int64_t branches = shape.model().fc1_size(ffn) / ffn;
  return std::vector(static_cast<std::size_t>(branches), ffn / shape.tp);
}

bool clamps_apart(const RankShape& shape) {
  return shape.model().activation_func_clamp_value &&
         !SoftwareSpec::is_fused(shape.recipe.software.clamped_swiglu);
}

std::vector<double> with_clamp(const RankShape& shape, Direction direction,
                               std::vector<double> kernels) {
  if (!clamps_apart(shape)) return kernels;
  const std::vector<double> clamp = clamp_kernels(shape.activation_bytes(), direction);
  const auto at = direction == Direction::forward ? kernels.begin() : kernels.end();
  kernels.insert(at, clamp.begin(), clamp.end());
  return kernels;
}

Operator mlp_activation(const RankShape& shape, std::int64_t columns) {
  const ModelSpec& model = shape.model();
  const std::int64_t fc1_columns = model.fc1_size(columns);
  const auto ffn = static_cast<double>(columns);
  const auto branches = static_cast<double>(fc1_columns);
  const double element = shape.activation_bytes();
  const auto kernel = [&](Direction direction) {
    std::vector<double> moved =
        with_clamp(shape, direction, {activation_moves(shape.recipe, direction) * element});
    for (double& bytes : moved) bytes *= ffn * shape.rows;
    return [moved = std::move(moved)](ProgramBuilder& builder) {
      for (const double bytes : moved)
        builder.stream_bytes(StreamingKind::element_wise, bytes, Share::memory_bound);
    };
  };
  Operator op;
  op.module = "activation";
  op.forward = kernel(Direction::forward);
  op.backward = input_gradient_only(kernel(Direction::backward));
  const double silu = is_eager_swiglu(shape.recipe) ? ffn : 0;  // what it writes
  const double clamped = clamps_apart(shape) ? branches : 0;
  op.saved = {{element * shape.rows * (branches + silu + clamped)}};
  op.backward_bytes = element * shape.rows * (branches + ffn);  // gradients of both sides
  return op;
}

}  // namespace simtrain
