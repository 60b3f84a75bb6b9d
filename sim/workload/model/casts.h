#pragma once

#include "sim/workload/model/program_builder.h"

namespace simtrain {

/// Quantized copies of a tensor of so many elements: the largest value first where the operand asks
/// for it, then a kernel that reads the tensor and writes the copies; nothing for operands that are
/// not quantized. `tensors`: as many, each by kernels of its own.
void quantize(ProgramBuilder& builder, const Operand& operand, double elements, int tensors = 1);

/// The same of a rank's rows of a tensor that is gathered after that: under sequence parallelism
/// ranks agree on the largest value, and a turned copy is made of what arrived.
void quantize_rows(ProgramBuilder& builder, const Operand& operand, double elements);

/// The same of what a norm wrote. Where no largest value is asked for the norm writes the copies
/// itself (normed_bytes), and nothing is left to do.
void quantize_normed(ProgramBuilder& builder, const Operand& operand, double elements);

/// The column-wise copy of a tensor whose operand has it cast in the backward; nothing for others.
void recast(ProgramBuilder& builder, const Operand& operand, double elements, int tensors = 1);

/// Bytes of an element that a norm writes: the copies, or what is cast to them next.
double normed_bytes(const Operand& operand, const TensorFormat& activation);

/// A turned copy of a quantized tensor, for a weight gradient.
void turn(ProgramBuilder& builder, const Operand& operand, double elements,
          std::uint32_t after = kNoOp);

}  // namespace simtrain
