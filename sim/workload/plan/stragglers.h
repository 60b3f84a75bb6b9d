#pragma once

#include "sim/topology/specs/gpu_spec.h"
#include "sim/workload/parallel/largest_of_normals.h"
#include "sim/workload/plan/plan.h"

namespace simtrain {

/// What ranks that meet after `busy` of work wait, on average, for the slowest of them. Each GPU's
/// clock deviates from that of its peers by `fluctuation` f for `fluctuation_time` u at a time, so
/// that its work of length t deviates by f sqrt(u / (u + t)) of its SM-bound part. `met` of the
/// `ranks` have waited for each other on the way, and only what the others add is counted.
ComputeCost straggler_wait(const PowerSpec& power, const ComputeCost& busy, int met, int ranks);

/// How a step deviates from the mean one, in seconds: by the largest of `groups` normal values of
/// standard deviation `group_s`, less the mean of that largest. A group are the ranks that meet in
/// each pass; the groups meet at the end of the step.
struct StepSpread {
  double group_s = 0;
  int groups = 1;
  /// Standard deviation of a step.
  [[nodiscard]] double deviation_s() const {
    return group_s * largest_of_normals(groups).deviation;
  }
};

/// The spread of steps in which each rank is `busy`, by the clocks of `straggler_wait`: the sum of
/// what a group of `met` ranks waits deviates by f sqrt(u / (u + t)) of the step's SM-bound work of
/// length t, times the deviation of the largest of `met`, however often they meet.
StepSpread step_spread(const PowerSpec& power, const ComputeCost& busy, int met, int ranks);

}  // namespace simtrain
