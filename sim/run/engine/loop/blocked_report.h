#pragma once

#include <vector>

#include "sim/run/engine/executor_state.h"

namespace simtrain::execution {

/// Throws StuckProgram where ops are left when nothing more will happen: says of the first of them
/// which they are and what each lacks, a line each. `ranks` as they stopped.
void refuse_leftovers(const Plan& plan, const std::vector<RankState>& ranks);

}  // namespace simtrain::execution
