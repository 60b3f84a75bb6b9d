#pragma once

#include <string>
#include <vector>

#include "sim/measured/comparison.h"

namespace simtrain {

/// Measured step times over their numbers as an <svg> element, with a line at the predicted step
/// and its 90 % interval as a band. Of more steps than fit beside each other, each column shows its
/// shortest and longest.
std::string step_chart(const std::vector<MeasuredStep>& steps, const Comparison& comparison);

/// CSS of the chart.
std::string step_chart_style();

}  // namespace simtrain
