#include "sim/workload/model/blocks/backward_end.h"

#include <algorithm>

namespace simtrain {
namespace {

bool trained(const Operator& op) {
  return std::any_of(op.weights.begin(), op.weights.end(),
                     [](const Weight& weight) { return weight.adapter; });
}

void leave_out_backward(Operator& op) {
  op.backward = [](ProgramBuilder&, BackwardPart) {};
  op.saved.clear();
  op.recompute.reset();
  op.backward_bytes = 0;
  op.deferred_bytes = 0;
}

void keep_weight_gradient(Operator& op) {
  op.backward = [all = op.backward](ProgramBuilder& builder, BackwardPart part) {
    if (part != BackwardPart::input_gradient) all(builder, BackwardPart::weight_gradient);
  };
}

}  // namespace

void end_backward(std::vector<Block>& blocks) {
  for (Block& block : blocks) {
    block.needs_input_gradient = false;
    for (Operator& op : block.branch) {
      if (trained(op)) return keep_weight_gradient(op);
      leave_out_backward(op);
    }
    if (block.residual) leave_out_backward(*block.residual);
    block.recompute.reset();
  }
}

}  // namespace simtrain
