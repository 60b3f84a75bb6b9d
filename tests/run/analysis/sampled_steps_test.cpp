#include "sim/run/results/sampled_steps.h"

#include <cmath>
#include <numeric>

#include <doctest/doctest.h>

#include "tests/run/scenarios.h"

namespace simtrain::testing::sampled_steps_test {

namespace {

struct Moments {
  double mean = 0;
  double deviation = 0;
};

Moments moments(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Moments of{std::accumulate(values.begin(), values.end(), 0.0) / count};
  for (const double value : values) of.deviation += (value - of.mean) * (value - of.mean);
  of.deviation = std::sqrt(of.deviation / (count - 1));
  return of;
}

/// A mean step of 2 s, whose groups deviate by 10 ms each.
Report report_of_groups(int groups) {
  Report report;
  report.step_time_s = 2;
  report.step_spread = {0.01, groups};
  return report;
}

}  // namespace

TEST_CASE("many drawn steps have the mean and the deviation of the closed form") {
  constexpr int kSteps = 40000;
  for (const int groups : {1, 2, 7, 64, 100000}) {
    for (const std::uint64_t seed : {0U, 1U, 12345U}) {
      CAPTURE(groups);
      CAPTURE(seed);
      const Report report = report_of_groups(groups);
      const double deviation = report.step_spread.deviation_s();
      const Moments of = moments(sampled_steps(report, kSteps, seed).seconds);
      CHECK(std::abs(of.mean - 2) < 4 * deviation / std::sqrt(kSteps));
      CHECK(of.deviation == doctest::Approx(deviation).epsilon(0.03));
    }
  }
}

TEST_CASE("the first steps of a seed are those of generator and distribution, on any machine") {
  // mt19937_64 of seed 5489 starts with 14514284786278117030 = 0.78682 of 2^64; the largest of two
  // is normal at the square root of that: Phi^-1(0.88703) = 1.21097, less the mean 0.56419.
  const StepSample sample = sampled_steps(report_of_groups(2), 3, 5489);
  CHECK(sample.seed == 5489);
  REQUIRE(sample.seconds.size() == 3);
  CHECK(sample.seconds[0] == doctest::Approx(2 + 0.01 * (1.21097 - 0.56419)).epsilon(1e-6));
}

TEST_CASE(
    "a seed gives the same steps, another one others, and fewer steps are the first of more") {
  const Report report = report_of_groups(4);
  const std::vector<double> ten = sampled_steps(report, 10, 3).seconds;
  CHECK(sampled_steps(report, 10, 3).seconds == ten);
  CHECK(sampled_steps(report, 10, 4).seconds != ten);
  const std::vector<double> four = sampled_steps(report, 4, 3).seconds;
  CHECK(std::equal(four.begin(), four.end(), ten.begin()));
}

TEST_CASE("no step takes less than no time, and clocks that stand still give one step") {
  Report report = report_of_groups(1);
  report.step_spread.group_s = 100;
  for (const double step : sampled_steps(report, 1000, 0).seconds) CHECK(step >= 0);
  report.step_spread.group_s = 0;
  for (const double step : sampled_steps(report, 10, 0).seconds) CHECK(step == 2);
}

TEST_CASE("steps of a simulated scenario scatter about its step time by its own clocks") {
  const struct {
    std::string file;
    std::string row;
    int groups;  // of those that meet in each pass
  } cases[] = {{"llama31_8b_h100", "bf16-8", 4},
               {"llama31_8b_h100", "fp8-16", 1},
               {"nemotron4_15b_h100", "bf16-64", 32}};
  for (const auto& row : cases) {
    CAPTURE(row.file);
    CAPTURE(row.row);
    const Report report = simulate(scenario(row.file, row.row, {}));
    CHECK(report.step_spread.groups == row.groups);
    const double relative = report.step_spread.deviation_s() / report.step_time_s;
    CHECK(relative > 1e-4);
    CHECK(relative < 0.01);
    const Moments of = moments(sampled_steps(report, 20000, 7).seconds);
    CHECK(of.mean == doctest::Approx(report.step_time_s).epsilon(relative / 30));
    CHECK(of.deviation == doctest::Approx(report.step_spread.deviation_s()).epsilon(0.03));
  }
}

TEST_CASE("the spread is the same of folded and unfolded runs") {
  const Scenario run = scenario("llama31_70b_h100", "fp8-128", {"gbs=64"});
  const Report folded = simulate(run);
  const Report unfolded = simulate(run, {true});
  CHECK(folded.step_spread.group_s == unfolded.step_spread.group_s);
  CHECK(folded.step_spread.groups == unfolded.step_spread.groups);
}

}  // namespace simtrain::testing::sampled_steps_test
