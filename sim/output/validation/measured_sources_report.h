#pragma once

#include <string>
#include <vector>

#include "sim/study/validate/measured_sources.h"

namespace simtrain {

/// Errors and coverage by source, GPU, precision, framework, year, grade and stack.
std::string measured_sources_text(const std::vector<MeasuredSourceRow>& rows);

/// The same with every row, as simtrain.measured-validation/1.
std::string measured_sources_json(const std::vector<MeasuredSourceRow>& rows);

}  // namespace simtrain
