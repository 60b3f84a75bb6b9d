#pragma once

#include "sim/workload/model/blocks/block.h"

namespace simtrain {

/// Ends a backward at the first trained weight of a part whose input needs no gradient: what comes
/// before it has no backward and keeps nothing, it has a weight gradient alone. All of the part
/// where none of its weights is trained.
void end_backward(std::vector<Block>& blocks);

}  // namespace simtrain
