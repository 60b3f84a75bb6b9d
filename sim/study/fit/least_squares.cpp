#include "sim/study/fit/least_squares.h"

#include <algorithm>
#include <cmath>
#include <cminpack.h>
#include <exception>
#include <limits>

#include "sim/core/invariant.h"

namespace simtrain {
namespace {

/// What the callback of lmdif sees. An exception waits here while C code is on the stack.
struct Problem {
  const Residuals& residuals;
  std::exception_ptr thrown;
};

int evaluate(void* context, int count, int values, const double* x, double* out, int /*flag*/) {
  auto& problem = *static_cast<Problem*>(context);
  try {
    const std::vector<double> result = problem.residuals({x, x + values});
    invariant(result.size() == static_cast<std::size_t>(count), "as many residuals every time");
    std::copy(result.begin(), result.end(), out);
    return 0;
  } catch (...) {
    problem.thrown = std::current_exception();
    return -1;
  }
}

/// (J^T J)^-1 from lmdif's factors, of which `factors` holds R in its upper triangle.
void add_covariance(LeastSquaresResult& result, std::vector<double> factors, int rows,
                    const std::vector<int>& pivots) {
  const std::size_t n = result.values.size();
  std::vector<double> work(n);
  constexpr double kRankTolerance = 1e-14;
  covar(static_cast<int>(n), factors.data(), rows, pivots.data(), kRankTolerance, work.data());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j)
      result.covariance.push_back(factors[i * static_cast<std::size_t>(rows) + j]);
    const double variance = result.covariance[i * n + i];
    result.standard_errors.push_back(variance > 0 ? std::sqrt(variance)
                                                  : std::numeric_limits<double>::infinity());
  }
}

}  // namespace

LeastSquaresResult least_squares(const std::vector<double>& start, const Residuals& residuals,
                                 double relative_step, int most_evaluations) {
  const std::vector<double> first = residuals(start);
  const std::size_t n = start.size();
  const std::size_t m = first.size();
  invariant(n > 0 && m >= n, "at least one value, and as many residuals as values");
  LeastSquaresResult result;
  result.values = start;
  Problem problem{residuals, nullptr};
  std::vector<double> at_values(m);
  std::vector<double> scale(n);
  std::vector<double> factors(m * n);
  std::vector<double> projected(n);
  std::vector<std::vector<double>> work(4, std::vector<double>(std::max(m, n)));
  std::vector<int> pivots(n);
  constexpr double kTolerance = 1e-10;
  constexpr double kFirstStepBound = 1;
  const int rows = static_cast<int>(m);
  const int info = lmdif(evaluate, &problem, rows, static_cast<int>(n), result.values.data(),
                         at_values.data(), kTolerance, kTolerance, 0, most_evaluations,
                         relative_step * relative_step, scale.data(), 1, kFirstStepBound, 0,
                         &result.evaluations, factors.data(), rows, pivots.data(), projected.data(),
                         work[0].data(), work[1].data(), work[2].data(), work[3].data());
  if (problem.thrown) std::rethrow_exception(problem.thrown);
  constexpr int kStoppedAtLimit = 5;
  result.converged = info != kStoppedAtLimit;
  ++result.evaluations;  // the one above, which counted the residuals
  for (const double residual : at_values) result.residual_sum += residual * residual;
  add_covariance(result, std::move(factors), rows, pivots);
  return result;
}

}  // namespace simtrain
