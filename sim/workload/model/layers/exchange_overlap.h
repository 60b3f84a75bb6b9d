#pragma once

#include "sim/workload/model/layers/piece_program.h"

namespace simtrain {

/// A layer's forward for one micro-batch and another's backward for an earlier one beside each
/// other, in the order of Megatron core's combined 1F1B (overlap_moe_expert_parallel_comm):
/// exchanges of tokens have a stream of their own, where they run beside the kernels of the other
/// pass. With `delay_wgrad_compute` the weight gradients of experts come after the input gradients
/// have been sent on, all others last. Ops of the forward have micro-batch 1, of the backward 0.
Program paired_program(const PieceContext& context, const Piece& pair);

/// A layer's forward or backward with its shared experts beside the exchanges of tokens
/// (moe_shared_expert_overlap): the first product and the activation beside one, the second product
/// beside the other. Of a program without exchanges the same.
Program with_shared_experts_beside(const Recipe& recipe, Program program);

}  // namespace simtrain
