#pragma once

#include "sim/workload/model/program_builder.h"

namespace simtrain {

/// Core attention of one rank, forward: one fused kernel, or under context parallelism c steps of
/// the K/V ring. Rank r of c owns the sequence blocks r and 2c-1-r, so that each step's causal work
/// is the same on every rank: half the square of the local length, on the diagonal in step 0 and as
/// a dense half block in the others, while the next K/V arrives.
void attention_forward(ProgramBuilder& builder);

/// The same backward: the ring also carries the growing dK/dV. Returns their last hop, after which
/// dK and dV are complete (kNoOp: the last kernel).
std::uint32_t attention_backward(ProgramBuilder& builder);

}  // namespace simtrain
