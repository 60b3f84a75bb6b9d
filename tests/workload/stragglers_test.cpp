#include "sim/workload/stragglers.h"

#include <doctest/doctest.h>

using namespace simtrain;

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

}  // namespace

TEST_CASE("the expected largest of normal values is that of the tables of order statistics") {
  CHECK(expected_largest(1) == 0);
  CHECK(expected_largest(2) == doctest::Approx(0.564).epsilon(0.05));
  CHECK(expected_largest(8) == doctest::Approx(1.424).epsilon(0.02));
  CHECK(expected_largest(100) == doctest::Approx(2.508).epsilon(0.01));
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
