#include <vector>

#include "sim/workload/model/casts.h"
#include "sim/workload/model/operators/operators.h"

namespace simtrain {
namespace {

/// Bytes that each kernel of an RMS norm of PyTorch's own operators moves for an element, in 16
/// bits: to FP32, squared, summed over columns; times the root, back, times the weight.
std::vector<double> eager_forward() { return {6, 8, 4, 8, 6, 4}; }
/// The same back (PyTorch's autograd): times the weight; times what was weighed, summed over rows;
/// to FP32; times the root; times the input, summed over columns; the square's input copied,
/// doubled, the sum's gradient spread, both multiplied; both ways added; back.
std::vector<double> eager_backward() { return {4, 6, 2, 6, 8, 12, 4, 8, 8, 4, 12, 12, 6}; }
/// Kept for it: the input in FP32, and what is weighed.
constexpr double kEagerSaved = 4 + 2;

}  // namespace

Operator norm(const RankShape& shape, const NormSpec& spec) {
  const bool biased = shape.model().normalization == Normalization::layernorm1p;
  const std::int64_t columns = spec.columns == 0 ? shape.hidden() : spec.columns;
  const double elements = static_cast<double>(columns) * shape.own_rows;
  const double hidden = shape.activation_bytes();
  const Operand& output = shape.linear.input;
  const double written = normed_bytes(output, shape.recipe.precision().activation);
  const bool eager = shape.model().normalization == Normalization::rmsnorm && hidden == 2 &&
                     SoftwareSpec::is_eager(shape.recipe.software.rms_norm);
  const auto kernels = [elements, share = spec.share](StreamingKind kind,
                                                      const std::vector<double>& moved) {
    return [=](ProgramBuilder& builder) {
      for (const double bytes : moved) builder.stream_bytes(kind, bytes * elements, share);
    };
  };
  const auto run = eager ? kernels(StreamingKind::element_wise, eager_forward())
                         : kernels(StreamingKind::norm_forward, {hidden + written});
  Operator op;
  op.module = spec.module;
  op.forward = [=, &output](ProgramBuilder& builder) {
    run(builder);
    quantize_normed(builder, output, elements);
  };
  op.backward = input_gradient_only(eager ? kernels(StreamingKind::element_wise, eager_backward())
                                          : kernels(StreamingKind::norm_backward, {3 * hidden}));
  op.weights = {{.rows = columns * (biased ? 2 : 1)}};
  op.saved = {{(eager ? kEagerSaved : hidden) * elements, {}, spec.input}};
  // Of the module behind it, for its weight gradient.
  if (!shape.recipe.lora) {
    op.saved.push_back({output.columnwise.bytes() * elements, spec.recompute, spec.output});
    op.recompute = spec.recompute;
  }
  op.recomputed_at = RecomputedAt::block_backward;
  const double cast = output.amax == AmaxPass::none ? 0 : cast_bytes(output);
  op.forward_bytes = (hidden + written + cast) * elements;
  return op;
}

}  // namespace simtrain
