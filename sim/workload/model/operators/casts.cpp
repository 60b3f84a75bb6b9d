#include "sim/workload/model/operators/casts.h"

namespace simtrain {

void cast(ProgramBuilder& builder, double elements, double written, int tensors) {
  if (written <= 0) return;
  const double read = builder.recipe().precision().activation.bytes();
  builder.kernel(Streaming{StreamingKind::cast, elements * (read + written), tensors}, Share::fp8);
}

void turn(ProgramBuilder& builder, const Operand& operand, double elements, std::uint32_t after) {
  const double bytes = 2 * operand.columnwise.bytes() * elements;
  builder.stream_bytes(StreamingKind::cast, bytes, Share::fp8, after);
}

}  // namespace simtrain
