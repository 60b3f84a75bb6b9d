#pragma once

#include "sim/workload/model/operators/experts/expert_shape.h"
#include "sim/workload/model/operators/operator.h"

namespace simtrain {

// The operators of a mixture of experts, in the order of Megatron core's MoE layer. Where ranks
// have unlike work, that of the busiest sets the pace. Formats are those of the recipe's precision;
// tokens travel in the activation format.

/// [T, h] x [h, E] of the rank's own tokens, the scores, their top k and what balances the experts.
Operator router(const RankShape& shape);

/// Brings rows to their experts, by the recipe's dispatcher: rows of an expert in one piece, all
/// ranks of an EP group an exchange with each other. Backward brings their gradients back.
Operator dispatch(const RankShape& shape);

/// One linear module of all local experts: [rows, h] x [h, n] (`first`), or [rows, n] x [n, h].
Operator expert_linear(const RankShape& shape, bool first);

/// The activation function of all local experts, times the router's probabilities.
Operator expert_activation(const RankShape& shape);

/// Brings what the experts put out back to its tokens and sums it there.
Operator combine(const RankShape& shape);

}  // namespace simtrain
