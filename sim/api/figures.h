#pragma once

#include <vector>

#include <simtrain/simulate.h>

#include "sim/workload/parallel/share.h"

namespace simtrain::api {

/// The shares of a step by name.
std::vector<TimeShare> shares_of(const Breakdown& breakdown);

}  // namespace simtrain::api
