#pragma once

#include <string>

#include "sim/study/fit/calibrate.h"

namespace simtrain {

/// Values with their standard errors and priors, their correlation, and the errors of each table
/// before and after.
std::string calibration_text(const Calibration& calibration);

/// The same with every row, as `simtrain.calibration/1`.
std::string calibration_json(const Calibration& calibration);

/// The fitted values as a YAML file, for `simtrain calibrate --write`.
std::string calibration_yaml(const Calibration& calibration);

}  // namespace simtrain
