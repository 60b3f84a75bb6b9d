#include "sim/workload/plan/stragglers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include <doctest/doctest.h>

namespace simtrain::testing::stragglers_test {

namespace {

/// Deviates by 10 % for 1 ms at a time.
PowerSpec power() {
  PowerSpec spec;
  spec.fluctuation.value = 0.1;
  spec.fluctuation_time.value = std::chrono::milliseconds(1);
  return spec;
}

ComputeCost work(Duration time, double sm_bound) {
  ComputeCost cost;
  cost.time = time;
  cost.sm_bound = sm_bound;
  return cost;
}

double waited(Duration time, double sm_bound, int met, int ranks) {
  return to_seconds(straggler_wait(power(), work(time, sm_bound), met, ranks).time);
}

double normal(std::mt19937_64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11U) * 0x1p-53;
  return sum;
}

/// The deviation of a clock of variance 1 whose values h apart are correlated by 1 / (1 + h)^3, as
/// the law of `straggler_wait` has it for u = 1: a sum of processes that forget at rates spread as
/// a gamma distribution of shape 3.
class WanderingClock {
 public:
  /// By how much work of length u deviates.
  double work(std::mt19937_64& random) {
    double sum = 0;
    for (int part = 0; part < kParts; ++part) {
      for (std::size_t i = 0; i < kRates.size(); ++i) {
        const double kept = std::exp(-kRates[i] / kParts);
        parts_[i] =
            kept * parts_[i] +
            std::sqrt((1 - kept * kept) / static_cast<double>(kRates.size())) * normal(random);
        sum += parts_[i];
      }
    }
    return sum / kParts;
  }

 private:
  static constexpr int kParts = 5;
  static constexpr std::array kRates{1.02, 1.73, 2.34, 3.04, 3.92, 5.57};  // quantiles
  std::array<double, kRates.size()> parts_{};
};

}  // namespace

TEST_CASE("the expected largest of normal values is that of the tables of order statistics") {
  CHECK(expected_largest(1) == 0);
  CHECK(expected_largest(2) == doctest::Approx(0.564).epsilon(0.05));
  CHECK(expected_largest(8) == doctest::Approx(1.424).epsilon(0.02));
  CHECK(expected_largest(100) == doctest::Approx(2.508).epsilon(0.01));
}

TEST_CASE("the moments of the largest normal value are those of the tables of order statistics") {
  CHECK(largest_of_normals(1).mean == 0);
  CHECK(largest_of_normals(1).deviation == 1);
  const double pi = std::acos(-1);
  CHECK(largest_of_normals(2).mean == doctest::Approx(1 / std::sqrt(pi)).epsilon(1e-12));
  CHECK(largest_of_normals(2).deviation == doctest::Approx(std::sqrt(1 - 1 / pi)).epsilon(1e-12));
  CHECK(largest_of_normals(3).mean == doctest::Approx(1.5 / std::sqrt(pi)).epsilon(1e-12));
  CHECK(largest_of_normals(8).mean == doctest::Approx(1.42360).epsilon(1e-5));
  CHECK(largest_of_normals(8).deviation == doctest::Approx(std::sqrt(0.37290)).epsilon(1e-4));
  CHECK(largest_of_normals(100).mean == doctest::Approx(2.50759).epsilon(1e-5));
  CHECK(largest_of_normals(100).deviation == doctest::Approx(0.42942).epsilon(1e-4));
}

TEST_CASE("the quantiles of the largest are those of a normal value at the root of the share") {
  CHECK(quantile_of_largest(0.5, 1) == doctest::Approx(0).epsilon(1e-12));
  CHECK(quantile_of_largest(0.975, 1) == doctest::Approx(1.959964));
  CHECK(quantile_of_largest(0.025, 1) == doctest::Approx(-1.959964));
  CHECK(quantile_of_largest(0.25, 2) == doctest::Approx(0).epsilon(1e-12));
  CHECK(quantile_of_largest(0.95 * 0.95 * 0.95, 3) == doctest::Approx(1.644854));
  CHECK(quantile_of_largest(0x1p-53, 1) < -8);
  CHECK(quantile_of_largest(1 - 0x1p-53, 1'000'000) > 8);
}

TEST_CASE("the more normal values, the larger the largest and the less it deviates") {
  LargestOfNormals fewer = largest_of_normals(1);
  for (int count = 2; count <= 2'000'000; count *= 3) {
    CAPTURE(count);
    const LargestOfNormals more = largest_of_normals(count);
    CHECK(more.mean > fewer.mean);
    CHECK(more.deviation < fewer.deviation);
    CHECK(more.mean == doctest::Approx(expected_largest(count)).epsilon(0.05));
    // A Gumbel distribution in the limit: pi / sqrt(6) over sqrt(2 ln count)
    if (count > 1000)
      CHECK(more.deviation ==
            doctest::Approx(1.2825 / std::sqrt(2 * std::log(count))).epsilon(0.15));
    fewer = more;
  }
}

TEST_CASE("ranks that meet wait for the slowest of them") {
  const Duration time = std::chrono::milliseconds(3);
  // sqrt(1 / (1 + 3)) of 10 % of 3 ms
  CHECK(waited(time, 1, 1, 8) == doctest::Approx(0.15e-3 * expected_largest(8)));
  CHECK(waited(time, 0.5, 1, 8) == doctest::Approx(0.075e-3 * expected_largest(8)));
}

TEST_CASE("one rank waits for nobody, and those that have met wait only for the others") {
  const Duration time = std::chrono::milliseconds(3);
  CHECK(waited(time, 1, 1, 1) == 0);
  CHECK(waited(time, 1, 8, 8) == 0);
  CHECK(waited(time, 1, 1, 8) + waited(time, 1, 8, 64) == doctest::Approx(waited(time, 1, 1, 64)));
}

TEST_CASE("longer work deviates more in all and less in share") {
  const double brief = waited(std::chrono::milliseconds(1), 1, 1, 8);
  const double lengthy = waited(std::chrono::milliseconds(100), 1, 1, 8);
  CHECK(lengthy > brief);
  CHECK(lengthy < 100 * brief);
}

TEST_CASE("the wait is a share of its own") {
  const ComputeCost cost = straggler_wait(power(), work(std::chrono::milliseconds(3), 1), 1, 8);
  CHECK(part(cost.parts, Share::stragglers) == to_seconds(cost.time));
}

TEST_CASE("steps deviate by what their groups do, and the slowest group ends them") {
  const ComputeCost busy = work(std::chrono::milliseconds(99), 0.5);
  // 10 % of the SM-bound half of 99 ms, a tenth of it for sqrt(1 / (1 + 99))
  const double one = 0.1 * 0.5 * 99e-3 / 10;
  CHECK(step_spread(power(), busy, 1, 1).deviation_s() == doctest::Approx(one));
  CHECK(step_spread(power(), busy, 8, 8).deviation_s() ==
        doctest::Approx(one * largest_of_normals(8).deviation));
  CHECK(step_spread(power(), busy, 8, 64).groups == 8);
  CHECK(step_spread(power(), busy, 8, 64).deviation_s() ==
        doctest::Approx(one * largest_of_normals(8).deviation * largest_of_normals(8).deviation));
  CHECK(step_spread(power(), ComputeCost{}, 8, 64).deviation_s() == 0);
}

TEST_CASE("clocks simulated one by one deviate as the closed form says") {
  constexpr int kMeetings = 50;  // of a step, each after u of work
  constexpr int kSteps = 400;
  std::mt19937_64 random(1);
  std::array<WanderingClock, 8> clocks{};
  const LargestOfNormals largest = largest_of_normals(8);
  double sum = 0;
  double squares = 0;
  for (int step = 0; step < kSteps; ++step) {
    double waited = 0;
    for (int meeting = 0; meeting < kMeetings; ++meeting) {
      double slowest = -100;
      for (WanderingClock& clock : clocks) slowest = std::max(slowest, clock.work(random));
      waited += slowest;
    }
    sum += waited;
    squares += waited * waited;
  }
  const double mean = sum / kSteps;
  const double deviation = std::sqrt(squares / kSteps - mean * mean);
  CHECK(mean == doctest::Approx(kMeetings * std::sqrt(0.5) * largest.mean).epsilon(0.05));
  CHECK(deviation ==
        doctest::Approx(kMeetings * std::sqrt(1.0 / (1 + kMeetings)) * largest.deviation)
            .epsilon(0.25));
}

}  // namespace simtrain::testing::stragglers_test
