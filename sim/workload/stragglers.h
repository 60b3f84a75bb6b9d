#pragma once

#include "sim/topology/gpu_spec.h"
#include "sim/workload/plan.h"

namespace simtrain {

/// Expected largest of `count` independent standard normal values, by Blom's formula
/// (Statistical Estimates and Transformed Beta-Variables, 1958): 0 for one, 0.6 for two, 1.4 for
/// eight.
double expected_largest(int count);

/// What ranks that meet after `busy` of work wait, on average, for the slowest of them. Each GPU's
/// clock deviates from that of its peers by `fluctuation` f for `fluctuation_time` u at a time, so
/// that its work of length t deviates by f sqrt(u / (u + t)) of its SM-bound part. `met` of the
/// `ranks` have waited for each other on the way, and only what the others add is counted.
ComputeCost straggler_wait(const PowerSpec& power, const ComputeCost& busy, int met, int ranks);

}  // namespace simtrain
