#pragma once

#include "sim/workload/model/operators/operator.h"

namespace simtrain {

// Policies of recompute by frameworks: of a layer they keep its input and the results of some
// operators.

/// What a policy runs again of an operator; null where it keeps what the operator puts out.
const Forward* dropped_by_policy(const Operator& op, Recompute policy);
/// Bytes that it keeps of what the operator puts out.
double kept_by_policy(const Operator& op, Recompute policy);

}  // namespace simtrain
