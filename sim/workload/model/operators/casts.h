#pragma once

#include "sim/workload/model/program_builder.h"

namespace simtrain {

/// A kernel that reads a tensor and writes quantized copies of it, `written` bytes an element; none
/// where nothing is written. `tensors`: as many, each by a kernel of its own.
void cast(ProgramBuilder& builder, double elements, double written, int tensors = 1);

/// A turned copy of a quantized tensor, for a weight gradient.
void turn(ProgramBuilder& builder, const Operand& operand, double elements,
          std::uint32_t after = kNoOp);

}  // namespace simtrain
