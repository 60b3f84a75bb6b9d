#include "sim/study/fit/least_squares.h"

#include <cmath>
#include <stdexcept>

#include <doctest/doctest.h>

namespace simtrain::testing::least_squares_test {

TEST_CASE("a line through four points has the textbook values and covariance") {
  // y = a + b t at t = 0, 1, 2, 3: J^T J = [[4, 6], [6, 14]], its inverse [[14, -6], [-6, 4]] / 20.
  const std::vector<double> y{1.1, 2.9, 5.2, 6.8};
  const auto line = least_squares(
      {1, 1},
      [&](const std::vector<double>& v) {
        std::vector<double> r;
        for (std::size_t t = 0; t < y.size(); ++t)
          r.push_back(v[0] + v[1] * static_cast<double>(t) - y[t]);
        return r;
      },
      1e-6);
  CHECK(line.converged);
  CHECK(line.values[0] == doctest::Approx(1.09));
  CHECK(line.values[1] == doctest::Approx(1.94));
  CHECK(line.covariance[0] == doctest::Approx(0.7));
  CHECK(line.covariance[1] == doctest::Approx(-0.3));
  CHECK(line.covariance[2] == doctest::Approx(-0.3));
  CHECK(line.covariance[3] == doctest::Approx(0.2));
  CHECK(line.standard_errors[1] == doctest::Approx(std::sqrt(0.2)));
  CHECK(line.residual_sum == doctest::Approx(0.082));
}

namespace {

/// k exp(-t / tau) at t = 1..8 against k = 3, tau = 2.
std::vector<double> decay(const std::vector<double>& v) {
  std::vector<double> r;
  for (int t = 1; t <= 8; ++t) r.push_back(v[0] * std::exp(-t / v[1]) - 3 * std::exp(-t / 2.0));
  return r;
}

}  // namespace

TEST_CASE("a nonlinear fit finds the values behind exact data, bit for bit the same each time") {
  const auto once = least_squares({1, 1}, decay, 1e-6);
  const auto again = least_squares({1, 1}, decay, 1e-6);
  CHECK(once.values[0] == doctest::Approx(3).epsilon(1e-6));
  CHECK(once.values[1] == doctest::Approx(2).epsilon(1e-6));
  CHECK(once.values == again.values);
  CHECK(once.covariance == again.covariance);
  CHECK(once.evaluations == again.evaluations);
}

TEST_CASE("a prior residual bounds a value that the data do not know") {
  const auto fit = least_squares(
      {5, 1},
      [](const std::vector<double>& v) {
        return std::vector<double>{(v[0] - 4) / 0.5, v[1] - 2, v[1] - 3};
      },
      1e-6);
  CHECK(fit.values[0] == doctest::Approx(4));
  CHECK(fit.standard_errors[0] == doctest::Approx(0.5));
  CHECK(fit.values[1] == doctest::Approx(2.5));
}

TEST_CASE("a value that no residual depends on has no finite standard error") {
  const auto fit = least_squares(
      {1, 7},
      [](const std::vector<double>& v) {
        return std::vector<double>{v[0] - 2, v[0] - 2};
      },
      1e-6);
  CHECK(fit.values[1] == 7);
  CHECK(std::isfinite(fit.standard_errors[0]));
  CHECK(std::isinf(fit.standard_errors[1]));
}

TEST_CASE("evaluations are bounded, and what the residuals throw comes through") {
  const auto stopped = least_squares({1, 1}, decay, 1e-6, 3);
  CHECK_FALSE(stopped.converged);
  int calls = 0;
  const Residuals failing = [&](const std::vector<double>& v) {
    if (++calls == 3) throw std::runtime_error("no");
    return decay(v);
  };
  CHECK_THROWS_WITH(least_squares({1, 1}, failing, 1e-6), "no");
}

}  // namespace simtrain::testing::least_squares_test
