#include "sim/workload/model/operators/operator.h"

#include <utility>

namespace simtrain {

Backward input_gradient_only(Forward kernels) {
  return [kernels = std::move(kernels)](ProgramBuilder& builder, BackwardPart part) {
    if (part != BackwardPart::weight_gradient) kernels(builder);
  };
}

}  // namespace simtrain
