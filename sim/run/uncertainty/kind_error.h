#pragma once

#include "sim/run/uncertainty/uncertainty.h"

namespace simtrain {

/// Relative standard error of one share of a step: of the first row of the share whose conditions
/// hold.
double relative_error_of(const UncertaintySpec& spec, Share share, const PredictedStep& step);

}  // namespace simtrain
