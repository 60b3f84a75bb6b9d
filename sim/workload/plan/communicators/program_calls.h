#pragma once

#include <vector>

#include "sim/workload/kernels/program.h"

namespace simtrain {

/// A kind of group and a cost (of Program::transfers) of which a program has at least one op.
struct ProgramCall {
  GroupKind group{};
  std::uint32_t cost = 0;
};

/// By program, each of its calls once, in the order of their first ops.
using ProgramCalls = std::vector<std::vector<ProgramCall>>;

ProgramCalls calls_of(const std::vector<Program>& programs);

}  // namespace simtrain
