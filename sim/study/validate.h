#pragma once

#include <string>
#include <vector>

#include "sim/core/data_folder.h"

namespace simtrain {

/// One documented step time against the prediction.
struct ValidationRow {
  std::string document;
  std::string table;
  std::string group;      ///< model and document that a fit may leave out together
  std::string precision;  ///< bf16 or fp8
  std::string scenario;
  std::string row;
  std::string printed;  ///< digits as the document prints them
  double measured_s = 0;
  double predicted_s = 0;

  /// Predicted over measured, less one.
  [[nodiscard]] double error() const { return predicted_s / measured_s - 1; }
};

/// Mean and largest absolute error and the signed mean of some rows, as fractions.
struct ValidationSummary {
  std::size_t rows = 0;
  double mean_absolute = 0;
  double largest_absolute = 0;
  double bias = 0;
};

ValidationSummary summarize(const std::vector<ValidationRow>& rows);

/// Simulates every row of the headline tables of a validation file (`validation/*.yaml`). Throws
/// InputError where the file or a scenario that it names is wrong.
std::vector<ValidationRow> validate(const DataFolder& data, const std::string& path);

}  // namespace simtrain
