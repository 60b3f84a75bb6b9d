#pragma once

#include <vector>

#include "sim/study/first/first_scenario.h"

namespace simtrain {

/// The keys of a first scenario under a plan that need not be legal: all sizes 1. Throws as
/// `first_scenario`.
std::vector<Finding> first_keys(const DataFolder& data, const FirstRequest& request);

}  // namespace simtrain
