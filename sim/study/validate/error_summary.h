#pragma once

#include <cstddef>
#include <vector>

namespace simtrain {

/// The value below which `share` (0 to 1) of `values` lie, straight between neighbours. There must
/// be at least one.
double quantile(std::vector<double> values, double share);

/// Of relative errors, predicted over measured less one; all 0 where there are none.
struct ErrorSummary {
  std::size_t points = 0;
  double mean = 0;           ///< of the absolute errors
  double median = 0;         ///< of the absolute errors
  double percentile_90 = 0;  ///< of the absolute errors
  double bias = 0;           ///< mean with sign: positive is pessimistic
};

ErrorSummary error_summary(const std::vector<double>& errors);

}  // namespace simtrain
