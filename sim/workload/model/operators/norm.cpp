#include "sim/workload/model/operators/operators.h"

namespace simtrain {

Operator norm(const RankShape& shape, const NormSpec& spec) {
  const bool biased = shape.model().normalization == Normalization::layernorm1p;
  const double elements = static_cast<double>(shape.hidden()) * shape.own_rows;
  const auto kernel = [elements, share = spec.share](StreamingKind kind, double bytes) {
    return [=](ProgramBuilder& builder) { builder.stream_bytes(kind, bytes * elements, share); };
  };
  Operator op;
  op.module = spec.module;
  op.forward = kernel(StreamingKind::norm_forward, 2 + spec.output_bytes);
  op.backward = input_gradient_only(kernel(StreamingKind::norm_backward, 6));
  op.weights = {{.rows = shape.hidden() * (biased ? 2 : 1)}};
  op.saved = {{2 * elements}, {spec.output_bytes * elements, spec.recompute}};
  op.recompute = spec.recompute;
  op.recomputed_at = RecomputedAt::block_backward;
  op.forward_bytes = (2 + spec.output_bytes) * elements;
  return op;
}

}  // namespace simtrain
