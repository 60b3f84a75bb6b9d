#include "sim/workload/model/operators/operator.h"

#include <algorithm>
#include <utility>

namespace simtrain {

Backward input_gradient_only(Forward kernels) {
  return [kernels = std::move(kernels)](ProgramBuilder& builder, BackwardPart part) {
    if (part != BackwardPart::weight_gradient) kernels(builder);
  };
}

namespace {

bool multiplies(const Operator& op) {
  return std::any_of(op.weights.begin(), op.weights.end(),
                     [](const Weight& weight) { return weight.matrix; });
}

}  // namespace

const Forward* dropped_by_policy(const Operator& op, Recompute policy) {
  if (policy == Recompute::selective_op && op.partly_again) return &op.partly_again->run;
  if (multiplies(op)) return nullptr;
  return op.costly && policy != Recompute::checkpoint_dots ? nullptr : &op.forward;
}

double kept_by_policy(const Operator& op, Recompute policy) {
  if (policy == Recompute::selective_op && op.partly_again)
    return op.output_bytes * (1 - op.partly_again->share);
  return dropped_by_policy(op, policy) == nullptr ? op.output_bytes : 0;
}

}  // namespace simtrain
