#pragma once

#include <array>
#include <string>
#include <vector>

#include "sim/core/fields.h"
#include "sim/core/files/data_folder.h"
#include "sim/core/source_place.h"
#include "sim/study/validate/documented.h"

namespace simtrain {

/// A number of a hardware file that a parameter sets.
struct ParameterKey {
  std::string file;  ///< below `hardware/`
  std::string key;   ///< as `find_number` takes it
  SourcePlace where;
};
template <>
struct Fields<ParameterKey>;

/// What is known of a parameter from elsewhere than the fitted rows, in its unit.
struct Prior {
  double value = 0;
  double standard_error = 0;
  std::string source;
};
template <>
struct Fields<Prior>;

/// A number of hardware or software that a fit may change: a property of these, never of a model.
/// All keys that it sets hold the same number in the same unit.
struct FittedParameter {
  std::string name;
  std::string meaning;
  std::string unit;  ///< as the files write it; empty for a plain number
  std::vector<ParameterKey> sets;
  Prior prior;
  std::array<double, 2> range{};  ///< what is physically plausible
  SourcePlace where;
  double current = 0;  ///< what the files hold
};
template <>
struct Fields<FittedParameter>;

/// `validation/calibration.yaml`.
struct CalibrationSpec {
  std::string name;
  ErrorBounds left_out_bounds;  ///< over rows that are predicted with a fit to others
  std::vector<FittedParameter> parameters;
};
template <>
struct Fields<CalibrationSpec>;

/// Reads and checks it against the hardware files. Throws InputError where a key names no number or
/// one that another key names, its unit is another than the parameter's, the number there is out
/// of the range or differs from the parameter's other keys, or the file would not take every value
/// of the range, as of a whole number.
CalibrationSpec read_calibration(const DataFolder& data, const std::string& path);

/// The folder with the parameters set to these values.
DataFolder with_values(const DataFolder& data, const std::vector<FittedParameter>& parameters,
                       const std::vector<double>& values);

}  // namespace simtrain
