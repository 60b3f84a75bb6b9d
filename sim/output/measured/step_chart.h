#pragma once

#include <cstddef>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/measured/comparison.h"

namespace simtrain {

/// Runs of a page that have a section, each with a chart.
inline constexpr std::size_t kMostRunSections = 100;

/// Measured step times over their numbers, as web/step_charts.js draws them: `steps` are [number,
/// seconds]; of more than fit beside each other [number, shortest, longest] of equal stretches.
nlohmann::ordered_json step_chart(const std::vector<MeasuredStep>& steps);

/// The same with the predicted step and its 90 % interval.
nlohmann::ordered_json step_chart(const std::vector<MeasuredStep>& steps,
                                  const Comparison& comparison);

}  // namespace simtrain
