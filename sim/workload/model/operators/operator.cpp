#include "sim/workload/model/operators/operator.h"

#include <algorithm>
#include <utility>

namespace simtrain {

Backward input_gradient_only(Forward kernels) {
  return [kernels = std::move(kernels)](ProgramBuilder& builder, BackwardPart part) {
    if (part != BackwardPart::weight_gradient) kernels(builder);
  };
}

bool multiplies(const Operator& op) {
  return std::any_of(op.weights.begin(), op.weights.end(),
                     [](const Weight& weight) { return weight.matrix; });
}

std::int64_t quantized_elements(const Operator& op) {
  std::int64_t sum = 0;
  for (const Weight& weight : op.weights) sum += weight.quantized ? weight.elements() : 0;
  return sum;
}

}  // namespace simtrain
