#pragma once

#include <string>
#include <vector>

#include "sim/measured/measured_report.h"

namespace simtrain {

/// Training logs as one HTML page without other files: a row of figures for each run, its steps as
/// a chart, where its inputs come from. The page carries metrics_json().
std::string metrics_html(const std::vector<MeasuredReport>& reports);

}  // namespace simtrain
