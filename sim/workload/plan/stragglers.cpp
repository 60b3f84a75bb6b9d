#include "sim/workload/plan/stragglers.h"

#include <cmath>

namespace simtrain {
namespace {

/// Standard deviation, in seconds, of work that one GPU does.
double work_deviation(const PowerSpec& power, const ComputeCost& busy) {
  const double lasts = to_seconds(power.fluctuation_time.value);
  const double length = to_seconds(busy.time);
  const double deviation = power.fluctuation.value * std::sqrt(lasts / (lasts + length));
  return length * busy.sm_bound * deviation;
}

}  // namespace

ComputeCost straggler_wait(const PowerSpec& power, const ComputeCost& busy, int met, int ranks) {
  if (to_seconds(busy.time) <= 0) return {};
  const double waiting =
      work_deviation(power, busy) * (expected_largest(ranks) - expected_largest(met));
  ComputeCost cost;
  cost.time = to_duration(waiting);
  part(cost.parts, Share::stragglers) = to_seconds(cost.time);
  return cost;
}

StepSpread step_spread(const PowerSpec& power, const ComputeCost& busy, int met, int ranks) {
  if (to_seconds(busy.time) <= 0) return {};
  return {work_deviation(power, busy) * largest_of_normals(met).deviation, ranks / met};
}

}  // namespace simtrain
