#pragma once

#include "sim/workload/plan/step_context.h"

namespace simtrain {

/// What the SMs and the rest of a GPU are busy with, at full clock.
struct PowerLoad {
  double sm_bound_s = 0;  ///< stretches as the clock falls
  double sm_bound_j = 0;  ///< their seconds times draw, in units of the power limit
  double other_s = 0;     ///< does not
};

/// The clock, as a share of the full one, at which the mean draw is what is available of
/// the power limit:
///     draw clock^exponent t_sm / clock + streaming t_other = available (t_sm / clock + t_other).
/// 1 where the load draws less.
double power_limited_clock(const PowerSpec& power, const PowerLoad& load);

/// The clock of a step, one for all its kernels and GPUs: the governor averages over tens of
/// milliseconds, which is longer than a pass. The load is that of a micro-batch in all stages;
/// idle time and communication, which draw less, are left out. `context.kernels` is the model of
/// full clock.
double step_clock(const KernelContext& context);

}  // namespace simtrain
