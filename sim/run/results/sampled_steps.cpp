#include "sim/run/results/sampled_steps.h"

#include <algorithm>
#include <random>

namespace simtrain {
namespace {

/// Between 0 and 1, neither of them. The standard's distributions differ from library to library,
/// its generators do not.
double uniform(std::mt19937_64& random) {
  return (static_cast<double>(random() >> 12U) + 0.5) * 0x1p-52;
}

/// Of step `number` of the run, from 1 on: where faults come and go, steps differ.
double step_time_s(const Report& report, std::int64_t number) {
  for (const StepsInRow& row : report.steps_in_row) {
    if (row.count == 0 || number < row.first + row.count) return row.step_time_s;
  }
  return report.step_time_s;
}

}  // namespace

StepSample sampled_steps(const Report& report, int count, std::uint64_t seed) {
  const StepSpread& spread = report.step_spread;
  const double mean = largest_of_normals(spread.groups).mean;
  std::mt19937_64 random(seed);
  StepSample sample{seed, std::vector<double>(static_cast<std::size_t>(count))};
  std::int64_t number = 0;
  for (double& step : sample.seconds) {
    const double largest = quantile_of_largest(uniform(random), spread.groups);
    step = std::max(0.0, step_time_s(report, ++number) + spread.group_s * (largest - mean));
  }
  return sample;
}

}  // namespace simtrain
