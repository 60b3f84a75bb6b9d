#include "sim/workload/stragglers.h"

#include <cmath>

#include <boost/math/distributions/normal.hpp>

namespace simtrain {

double expected_largest(int count) {
  if (count <= 1) return 0;
  using Plain = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  const boost::math::normal_distribution<double, Plain> normal;
  return boost::math::quantile(normal, (count - 0.375) / (count + 0.25));
}

ComputeCost straggler_wait(const PowerSpec& power, const ComputeCost& busy, int met, int ranks) {
  const double lasts = to_seconds(power.fluctuation_time.value);
  const double length = to_seconds(busy.time);
  if (length <= 0) return {};
  const double deviation = power.fluctuation.value * std::sqrt(lasts / (lasts + length));
  const double waiting =
      length * busy.sm_bound * deviation * (expected_largest(ranks) - expected_largest(met));
  ComputeCost cost;
  cost.time = to_duration(waiting);
  part(cost.parts, Share::stragglers) = to_seconds(cost.time);
  return cost;
}

}  // namespace simtrain
