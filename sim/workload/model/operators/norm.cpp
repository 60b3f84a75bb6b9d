#include "sim/workload/model/operators/casts.h"
#include "sim/workload/model/operators/operators.h"

namespace simtrain {

Operator norm(const RankShape& shape, const NormSpec& spec) {
  const bool biased = shape.model().normalization == Normalization::layernorm1p;
  const std::int64_t columns = spec.columns == 0 ? shape.hidden() : spec.columns;
  const double elements = static_cast<double>(columns) * shape.own_rows;
  const auto kernel = [elements, share = spec.share](StreamingKind kind, double bytes) {
    return [=](ProgramBuilder& builder) { builder.stream_bytes(kind, bytes * elements, share); };
  };
  const double hidden = shape.activation_bytes();
  const Operand& output = shape.linear.input;
  const double written = normed_bytes(output, shape.recipe.precision().activation);
  Operator op;
  op.module = spec.module;
  op.forward = [=, &output, norm = kernel(StreamingKind::norm_forward, hidden + written)](
                   ProgramBuilder& builder) {
    norm(builder);
    quantize_normed(builder, output, elements);
  };
  op.backward = input_gradient_only(kernel(StreamingKind::norm_backward, 3 * hidden));
  op.weights = {{.rows = columns * (biased ? 2 : 1)}};
  op.saved = {{hidden * elements, {}, spec.input}};
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
