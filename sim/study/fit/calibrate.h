#pragma once

#include <string>
#include <vector>

#include "sim/study/fit/step_time_fit.h"

namespace simtrain {

/// Parameters fitted to step times.
struct Calibration {
  std::vector<FittedParameter> parameters;
  std::vector<double> values;           ///< in the parameters' units
  std::vector<double> standard_errors;  ///< the same; from rows, priors and discrepancy
  std::vector<double> correlation;      ///< row-major
  std::vector<ValidationRow> before;    ///< with the values of the hardware files
  std::vector<ValidationRow> after;
  double discrepancy = 0;
  bool converged = false;

  /// The value is at an end of its range: the rows ask for what is not plausible.
  [[nodiscard]] bool at_end(std::size_t parameter) const;
};

Calibration calibrate(const StepTimeFit& fit);

/// The fit to all rows, and the slopes where it ended.
struct SlopedFit {
  Fit fit;
  std::vector<std::vector<double>> slopes;
};
SlopedFit fit_all(const StepTimeFit& fit, const FitPoint& start);

/// The rows of the groups ("llama-70b") and tables ("llama-70b:fp8") that a list with commas names.
/// Throws InputError where a name is none of them.
std::vector<StepTime> selected(const std::vector<StepTime>& rows, const std::string& names);

}  // namespace simtrain
