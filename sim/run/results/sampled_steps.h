#pragma once

#include <cstdint>

#include "sim/run/results/report.h"

namespace simtrain {

/// How many steps may be drawn.
inline constexpr int kMostSampledSteps = 1'000'000;

/// `count` steps in a row, at least one: the step time of a report and what the spread of its steps
/// adds, drawn anew for each; where faults come and go, the time of each step. Fewer steps of a
/// seed are the first of more. Their mean goes to the report's step time as `count` grows.
StepSample sampled_steps(const Report& report, int count, std::uint64_t seed);

}  // namespace simtrain
