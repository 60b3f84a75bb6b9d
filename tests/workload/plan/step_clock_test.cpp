#include "sim/workload/plan/program/step_clock.h"

#include <cmath>

#include <doctest/doctest.h>

#include "tests/workload/setup.h"

namespace simtrain::testing::step_clock_test {

namespace {

PowerSpec power() {
  PowerSpec spec;
  spec.exponent.value = 2.5;
  spec.streaming.value = 0.75;
  spec.available.value = 1;
  return spec;
}

}  // namespace

TEST_CASE("a load that draws less than the limit runs at full clock") {
  CHECK(power_limited_clock(power(), {1, 0.9, 0}) == 1);
  CHECK(power_limited_clock(power(), {0, 0, 1}) == 1);
  CHECK(power_limited_clock(power(), {1, 1.1, 1}) == 1);  // 1.1 + 0.75 of 2
}

TEST_CASE("GEMMs alone run at the clock whose power of the exponent is one over their draw") {
  CHECK(power_limited_clock(power(), {1, 1.45, 0}) == doctest::Approx(std::pow(1 / 1.45, 1 / 2.5)));
}

TEST_CASE("at the clock of a mixed load the mean draw is the limit") {
  const PowerLoad load{3, 6, 1};
  const double clock = power_limited_clock(power(), load);
  const double drawn = 6 * std::pow(clock, 1.5) + 0.75;
  CHECK(drawn == doctest::Approx(3 / clock + 1));
  CHECK(clock > std::pow(0.5, 1 / 2.5));
}

TEST_CASE("where less power is available the clock is lower") {
  PowerSpec spec = power();
  spec.available.value = 0.8;
  CHECK(power_limited_clock(spec, {1, 1.45, 0}) == doctest::Approx(std::pow(0.8 / 1.45, 1 / 2.5)));
}

TEST_CASE("a cap takes its share of what is available, of memory-bound kernels too") {
  PowerSpec spec = power();
  spec.capped = 0.5;
  CHECK(power_limited_clock(spec, {1, 1.45, 0}) == doctest::Approx(std::pow(0.5 / 1.45, 1 / 2.5)));
  const double clock = power_limited_clock(spec, {3, 3.6, 1});
  CHECK(3.6 * std::pow(clock, 1.5) + 0.5 == doctest::Approx(0.5 * (3 / clock + 1)));
  spec.capped = 2;
  CHECK(power_limited_clock(spec, {1, 1.45, 0}) == 1);
}

TEST_CASE("a step holds a clock between that of its GEMMs alone and the full one") {
  for (const Precision precision : {Precision::bf16, Precision::fp8}) {
    Recipe recipe = llama_8b();
    recipe.training.precision = precision;
    const StepSetup setup(recipe, "dgx-superpod-h100", 4);
    const GemmRate& rate = setup.context().cluster.spec().gpu.gemm_rate(row_of(precision).peak);
    const double clock = step_clock(setup.context());
    CHECK(clock > rate.sustained.value() / rate.burst.value());
    CHECK(clock <= 1);
  }
}

}  // namespace simtrain::testing::step_clock_test
