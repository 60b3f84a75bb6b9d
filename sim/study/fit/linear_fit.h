#pragma once

#include <array>
#include <vector>

namespace simtrain {

/// Errors of rows that are linear in some values near a point, and values known to be about 0 with
/// standard deviation 1: find values in their ranges that make
///
///     sum_i (weight_i (error_i + sum_j slope_ij (value_j - at_j)))^2 + sum_j value_j^2
///
/// least. A row of weight 0 does not count. Where ranges bind, values stay at their ends one after
/// the other, the one farthest out first, and not let go again: with correlated values the sum may
/// then be a little above the least that the ranges allow.
struct LinearProblem {
  std::vector<double> at;
  std::vector<double> errors;                ///< of the rows at `at`
  std::vector<std::vector<double>> slopes;   ///< by row, then value
  std::vector<double> weights;               ///< of the rows
  std::vector<std::array<double, 2>> range;  ///< of the values
};

struct LinearFit {
  std::vector<double> values;
  std::vector<double> covariance;  ///< row-major; as if no range bound
};

/// Solves the normal equations (J^T J + 1) v = -J^T e by their Cholesky factors, J the weighted
/// slopes and e the weighted errors where all values are 0; the priors' 1 keeps them well
/// conditioned. Deterministic.
LinearFit solve(const LinearProblem& problem);

}  // namespace simtrain
