#include "sim/study/compare/common_cause.h"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "sim/run/simulate.h"
#include "tests/core/sanitized.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::common_cause_test {
namespace {

using testing::data_folder;
using testing::scenario_file;

/// Three small plans on H100, "measured" on hardware with some numbers changed.
std::vector<RunToExplain> runs_on(const std::vector<NumberOverride>& truth) {
  const DataFolder here = data_folder();
  const DataFolder there = here.with(truth);
  std::vector<RunToExplain> runs;
  const auto add = [&](const std::string& file, const std::string& row, const std::string& set) {
    RunToExplain run{scenario_file(file), row, {parse_setting(set)}, 0, 0};
    run.measured_s = simulate(run.source.scenario(there, row, run.settings)).step_time_s;
    run.predicted_s = simulate(run.source.scenario(here, row, run.settings)).step_time_s;
    runs.push_back(std::move(run));
  };
  add("llama31_8b_h100", "bf16-8", "gbs=16");
  add("llama31_8b_h100", "fp8-16", "gbs=16");
  add("llama31_70b_h100", "bf16-64", "gbs=8");
  return runs;
}

TEST_CASE("The number that was changed explains all runs, with the value that it was given") {
  const std::string file = "gpus/h100-sxm.yaml";
  const std::string key = "gemm.rates[data_type=bf16].sustained";
  const CommonCauses causes = common_causes(data_folder(), runs_on({{file, key, 630, {file}}}));
  CHECK(causes.before > 0.02);
  CHECK(causes.tried > 50);
  CHECK(causes.without_effect < causes.tried);
  REQUIRE(!causes.causes.empty());
  const CommonCause& best = causes.causes.front();
  CHECK(best.file == file);
  CHECK(best.key == key);
  CHECK(best.unit == "TFLOP/s");
  CHECK(best.needed == doctest::Approx(630).epsilon(2e-3));
  CHECK(best.explains);
  CHECK(best.left < 1e-3);
  CHECK(!best.at_end);
  CHECK(best.predicted_s.size() == 3);
  for (std::size_t i = 1; i < causes.causes.size(); ++i)
    CHECK(causes.causes[i].left >= causes.causes[i - 1].left);
  CHECK(causes.causes.size() <= CommonCauses::kMost);
  for (const CommonCause& cause : causes.causes) CHECK(cause.key != "nics");  // a count
}

TEST_CASE("Runs without gaps, and a plan with two measured times, have no common cause") {
  std::vector<RunToExplain> runs = runs_on({});
  for (const RunToExplain& run : runs) CHECK(run.measured_s == run.predicted_s);
  CHECK(common_causes(data_folder(), runs).causes.empty());
  CHECK(!common_causes(data_folder(), runs).needed);
  runs[0].measured_s *= 1.2;
  runs[1] = runs[0];
  runs[1].measured_s = runs[1].predicted_s / 1.2;
  runs.pop_back();
  const CommonCauses causes = common_causes(data_folder(), runs);
  CHECK(causes.before == doctest::Approx(std::log(1.2)));
  CHECK(causes.causes.empty());
}

TEST_CASE("A number stops at what its file takes" * once()) {
  std::vector<RunToExplain> runs = runs_on({});
  for (RunToExplain& run : runs) run.measured_s = run.predicted_s / 10;
  for (const CommonCause& cause : common_causes(data_folder(), runs).causes) {
    CAPTURE(cause.key);
    CHECK(cause.at_end);
    CHECK(!cause.explains);
    CHECK(std::abs(std::log(cause.needed / cause.value)) <=
          std::log(CommonCauses::kFarthest) + 1e-12);
  }
}

}  // namespace
}  // namespace simtrain::testing::common_cause_test
