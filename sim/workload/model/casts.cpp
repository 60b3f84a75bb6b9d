#include "sim/workload/model/casts.h"

namespace simtrain {
namespace {

double read_bytes(const ProgramBuilder& builder) {
  return builder.recipe().precision().activation.bytes();
}

void find_amax(ProgramBuilder& builder, double elements, int tensors) {
  builder.kernel(Streaming{StreamingKind::amax, elements * read_bytes(builder), tensors},
                 Share::fp8);
}

/// Ranks of a tensor-parallel group that hold different rows of one tensor agree on its scale.
void agree_on_amax(ProgramBuilder& builder) {
  const Recipe& recipe = builder.recipe();
  if (recipe.tp() == 1 || !recipe.parallelism.sequence_parallel) return;
  builder.wait_for(
      builder.tensor_collective(Collective::all_reduce, kFp32, 1, builder.last_kernel()));
}

void cast(ProgramBuilder& builder, const Operand& operand, double elements, double written,
          int tensors) {
  const StreamingKind kind = operand.in_blocks() ? StreamingKind::block_cast : StreamingKind::cast;
  builder.kernel(Streaming{kind, elements * (read_bytes(builder) + written), tensors}, Share::fp8);
}

}  // namespace

void quantize(ProgramBuilder& builder, const Operand& operand, double elements, int tensors) {
  const double written = copied_bytes(operand, builder.gpu());
  if (written <= 0) return;
  if (operand.amax != AmaxPass::none) find_amax(builder, elements, tensors);
  cast(builder, operand, elements, written, tensors);
}

void quantize_rows(ProgramBuilder& builder, const Operand& operand, double elements) {
  const double written = cast_bytes(operand);
  if (written <= 0) return;
  if (operand.amax != AmaxPass::none) {
    find_amax(builder, elements, 1);
    agree_on_amax(builder);
  }
  cast(builder, operand, elements, written, 1);
}

void quantize_normed(ProgramBuilder& builder, const Operand& operand, double elements) {
  if (operand.amax == AmaxPass::always) quantize_rows(builder, operand, elements);
  if (operand.amax != AmaxPass::except_of_norms) return;
  agree_on_amax(builder);
  cast(builder, operand, elements, cast_bytes(operand), 1);
}

double normed_bytes(const Operand& operand, const TensorFormat& activation) {
  if (operand.amax != AmaxPass::none || operand.recast) return activation.bytes();
  return operand.rowwise.bytes() + (operand.apart() ? operand.columnwise.bytes() : 0);
}

void recast(ProgramBuilder& builder, const Operand& operand, double elements, int tensors) {
  if (!operand.recast) return;
  find_amax(builder, elements, tensors);
  cast(builder, operand, elements, operand.recast->bytes(), tensors);
}

void turn(ProgramBuilder& builder, const Operand& operand, double elements, std::uint32_t after) {
  const double bytes = 2 * operand.columnwise.bytes() * elements;
  builder.stream_bytes(StreamingKind::cast, bytes, Share::fp8, after);
}

}  // namespace simtrain
