#include "sim/workload/model/operators/operators.h"

namespace simtrain {
namespace {

void stream(ProgramBuilder& builder, double bytes) {
  builder.stream_bytes(StreamingKind::element_wise, bytes, Share::memory_bound);
}

double elements_of(const RankShape& shape) {
  return static_cast<double>(shape.hidden()) * shape.own_rows;
}

}  // namespace

/// With dropout the kernel writes its mask too, a byte an element.
Operator residual(const RankShape& shape) {
  const double elements = elements_of(shape);
  const double hidden = shape.activation_bytes();
  const bool dropout = shape.model().hidden_dropout > 0;
  Operator op;
  op.module = "residual";
  op.forward = [=](ProgramBuilder& builder) {
    stream(builder, (3 * hidden + (dropout ? 1 : 0)) * elements);
  };
  op.backward = input_gradient_only([=](ProgramBuilder& builder) {
    if (dropout) stream(builder, (2 * hidden + 1) * elements);
  });
  if (dropout) op.saved = {{elements}};
  return op;
}

void join_gradients(ProgramBuilder& builder, const RankShape& shape) {
  builder.module("residual");
  stream(builder, 3 * shape.activation_bytes() * elements_of(shape));
}

}  // namespace simtrain
