#include "sim/study/fit/linear_fit.h"

#include <doctest/doctest.h>

namespace simtrain::testing::linear_fit_test {

namespace {

/// Two rows with an error of 2 at 0 that falls by 1 with the first value.
LinearProblem two_rows() {
  return {{0, 0}, {2, 2}, {{-1, 0}, {-1, 0}}, {1, 1}, {{-10, 10}, {-10, 10}}};
}

}  // namespace

TEST_CASE("Rows and priors are weighed: 2 (2 - x)^2 + x^2 is least at 4/3") {
  const LinearFit fit = solve(two_rows());
  CHECK(fit.values[0] == doctest::Approx(4.0 / 3));
  CHECK(fit.values[1] == doctest::Approx(0));
  CHECK(fit.covariance[0] == doctest::Approx(1.0 / 3));  // 1 / (2 rows + prior)
  CHECK(fit.covariance[3] == doctest::Approx(1));        // nothing but its prior
  CHECK(fit.covariance[1] == doctest::Approx(0));
}

TEST_CASE("Where errors were looked at does not change where they are least") {
  LinearProblem problem = two_rows();
  problem.at = {1, 5};
  problem.errors = {1, 1};
  CHECK(solve(problem).values[0] == doctest::Approx(4.0 / 3));
  CHECK(solve(problem).values[1] == doctest::Approx(0));
}

TEST_CASE("A row of weight 0 does not count") {
  LinearProblem problem = two_rows();
  problem.errors[1] = 100;
  problem.weights[1] = 0;
  CHECK(solve(problem).values[0] == doctest::Approx(1));  // (2 - x)^2 + x^2
}

TEST_CASE("A value stops at the end of its range, and the others are fitted with it there") {
  LinearProblem problem{{0, 0}, {4}, {{-1, -1}}, {1}, {{-1, 0.5}, {-10, 10}}};
  // Free: both 4/3. With the first at 0.5: (3.5 - y)^2 + y^2 is least at 1.75.
  const LinearFit fit = solve(problem);
  CHECK(fit.values[0] == doctest::Approx(0.5));
  CHECK(fit.values[1] == doctest::Approx(1.75));
}

TEST_CASE("Values that pull at one another have a covariance of one number, to the bit") {
  LinearProblem problem{
      {0.3, -0.2, 0.1},
      {0.04, -0.01, 0.02, 0.03},
      {{0.011, -0.07, 0.013}, {0.05, 0.017, 0.3}, {0.7, 0.1, 0.03}, {0.2, 0.3, 0.7}},
      {50, 33, 21, 7},
      {{-10, 10}, {-10, 10}, {-10, 10}}};
  const LinearFit fit = solve(problem);
  for (std::size_t j = 0; j < 3; ++j) {
    CHECK(fit.covariance[3 * j + j] < 1);
    for (std::size_t k = 0; k < j; ++k)
      CHECK(fit.covariance[3 * j + k] == fit.covariance[3 * k + j]);
  }
  CHECK(solve(problem).values == fit.values);
  // Where nothing is left to gain, the sum falls along no value.
  for (std::size_t j = 0; j < 3; ++j) {
    double slope = fit.values[j];
    for (std::size_t i = 0; i < 4; ++i) {
      double error = problem.errors[i];
      for (std::size_t k = 0; k < 3; ++k)
        error += problem.slopes[i][k] * (fit.values[k] - problem.at[k]);
      slope += problem.weights[i] * problem.weights[i] * problem.slopes[i][j] * error;
    }
    CHECK(slope == doctest::Approx(0).epsilon(1e-12));
  }
}

}  // namespace simtrain::testing::linear_fit_test
