#pragma once

#include <string>

#include "sim/measured/comparison.h"
#include "sim/output/metrics_report.h"

namespace simtrain {

/// A measured run beside its prediction: the gap, whether the interval holds it, what could explain
/// it, the most plausible first, and what else the log says.
std::string comparison_text(const Comparison& comparison, const Report& report,
                            const MeasuredReport& measured);

/// The same as JSON, schema `simtrain.comparison/1`, with the measured steps.
std::string comparison_json(const Comparison& comparison, const Report& report,
                            const MeasuredReport& measured);

}  // namespace simtrain
