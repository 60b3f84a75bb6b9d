#include "sim/study/fit/linear_fit.h"

#include <doctest/doctest.h>

using namespace simtrain;

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

TEST_CASE("A row of weight 0 has no say") {
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
