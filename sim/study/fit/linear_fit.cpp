#include "sim/study/fit/linear_fit.h"

#include <algorithm>

namespace simtrain {
namespace {

/// The sum's terms, the priors last.
std::vector<double> terms(const LinearProblem& problem, const std::vector<double>& values) {
  std::vector<double> result;
  result.reserve(problem.errors.size() + values.size());
  for (std::size_t i = 0; i < problem.errors.size(); ++i) {
    double error = problem.errors[i];
    for (std::size_t j = 0; j < values.size(); ++j)
      error += problem.slopes[i][j] * (values[j] - problem.at[j]);
    result.push_back(problem.weights[i] * error);
  }
  result.insert(result.end(), values.begin(), values.end());
  return result;
}

/// How far a value lies out of its range.
double excess(double value, const std::array<double, 2>& range) {
  return std::max({0.0, range[0] - value, value - range[1]});
}

}  // namespace

LinearFit solve(const LinearProblem& problem) {
  // Values are sought as distances from `at` in steps of 1 about 1, away from 0 where a relative
  // step of the derivative would vanish.
  constexpr double kOrigin = 1;
  constexpr double kStep = 1e-3;
  std::vector<std::size_t> free(problem.at.size());
  for (std::size_t j = 0; j < free.size(); ++j) free[j] = j;
  LinearFit fit{problem.at, {}};
  while (!free.empty()) {
    const Residuals residuals = [&](const std::vector<double>& moved) {
      std::vector<double> values = fit.values;
      for (std::size_t k = 0; k < free.size(); ++k)
        values[free[k]] = problem.at[free[k]] + moved[k] - kOrigin;
      return terms(problem, values);
    };
    const LeastSquaresResult result =
        least_squares(std::vector<double>(free.size(), kOrigin), residuals, kStep);
    if (fit.covariance.empty()) fit.covariance = result.covariance;
    for (std::size_t k = 0; k < free.size(); ++k)
      fit.values[free[k]] = problem.at[free[k]] + result.values[k] - kOrigin;
    // The value farthest out is held at its end, and the others are fitted again.
    const auto worst = std::max_element(free.begin(), free.end(), [&](auto a, auto b) {
      return excess(fit.values[a], problem.range[a]) < excess(fit.values[b], problem.range[b]);
    });
    if (excess(fit.values[*worst], problem.range[*worst]) <= 0) break;
    fit.values[*worst] =
        std::clamp(fit.values[*worst], problem.range[*worst][0], problem.range[*worst][1]);
    free.erase(worst);
  }
  return fit;
}

}  // namespace simtrain
