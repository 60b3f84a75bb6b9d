#pragma once

#include <functional>
#include <vector>

namespace simtrain {

/// Takes values, gives residuals: always as many, and finite.
using Residuals = std::function<std::vector<double>(const std::vector<double>&)>;

/// Where a fit ended. The covariance is (J^T J)^-1 at the values, J the derivatives of the
/// residuals: that of the values where each residual has standard deviation 1. Where the residuals
/// have another scale, multiply it by `residual_sum` / (residuals - values).
struct LeastSquaresResult {
  std::vector<double> values;
  std::vector<double> standard_errors;  ///< infinite for a value that no residual depends on
  std::vector<double> covariance;       ///< row-major, values x values
  double residual_sum = 0;              ///< of the squared residuals
  int evaluations = 0;                  ///< of the residuals
  bool converged = false;               ///< false: stopped at `most_evaluations`
};

/// The values that make the sum of squared residuals least, by Levenberg-Marquardt (lmdif of
/// MINPACK) from `start`. Derivatives are forward differences over `relative_step` of each value,
/// so the start of a value should not be 0. Deterministic where the residuals are. There must be
/// at least as many residuals as values. What `residuals` throws comes through.
LeastSquaresResult least_squares(const std::vector<double>& start, const Residuals& residuals,
                                 double relative_step, int most_evaluations = 1000);

}  // namespace simtrain
