#pragma once

#include <string_view>
#include <vector>

#include "sim/run/results/report.h"
#include "sim/run/step/simulated_step.h"

namespace simtrain {

/// What is lost between the peak and what is achieved, as seconds of the step in which no FLOP of
/// the MFU's convention is done. Negative where less is executed than the convention counts.
struct WaterfallLoss {
  std::string_view name;
  std::string_view meaning;
  Share colour{};  ///< of the share that it is closest to
  double seconds = 0;
};

/// The step of the mean GPU: `useful_s` is what the counted FLOPs take at the peak, and with it the
/// losses sum to the step time. So each is also a share of the peak, and `useful_s` the MFU.
struct Waterfall {
  double step_s = 0;
  double useful_s = 0;
  std::vector<WaterfallLoss> losses;  ///< without those of nothing
};

/// Splits the step of a simulated scenario.
///
/// Kernels count as the mean over all ranks of the job spends on them; by how much the kernels on
/// the critical path take longer is `uneven stages`. Of GEMMs, attention and output layer counts
/// what lies above the time of their counted FLOPs at the peak. What the power limit and recompute
/// cost is found by simulating the pieces again without them. All else is as the breakdown of the
/// critical path has it.
Waterfall waterfall(const SimulatedStep& simulated, const Report& report);

/// Percent of the peak after each loss in turn, from 100 to the MFU, rounded to two decimals, so
/// that differences of neighbours add up exactly as printed: one more than there are losses.
std::vector<double> waterfall_levels(const Waterfall& waterfall);

}  // namespace simtrain
