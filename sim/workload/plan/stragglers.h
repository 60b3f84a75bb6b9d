#pragma once

#include "sim/topology/specs/gpu_spec.h"
#include "sim/workload/plan/plan.h"

namespace simtrain {

/// Expected largest of `count` independent standard normal values, by Blom's formula
/// (Statistical Estimates and Transformed Beta-Variables, 1958): 0 for one, 0.6 for two, 1.4 for
/// eight.
double expected_largest(int count);

/// Mean and standard deviation of the largest of `count` independent standard normal values, by
/// numerical integration of its density: 0 and 1 for one, 0.564 and 0.826 for two, 1.424 and 0.611
/// for eight.
struct LargestOfNormals {
  double mean = 0;
  double deviation = 1;
};
LargestOfNormals largest_of_normals(int count);

/// The value below which that largest is with probability `share`, which lies between 0 and 1.
double quantile_of_largest(double share, int count);

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
