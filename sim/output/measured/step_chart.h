#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "sim/measured/comparison.h"

namespace simtrain {

/// Measured step times over their numbers, with the predicted step and its 90 % interval, as
/// web/comparison_page.js draws them: `steps` are [number, seconds]; of more than fit beside each
/// other [number, shortest, longest] of equal stretches.
nlohmann::ordered_json step_chart(const std::vector<MeasuredStep>& steps,
                                  const Comparison& comparison);

}  // namespace simtrain
