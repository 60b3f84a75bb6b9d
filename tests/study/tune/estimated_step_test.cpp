#include "sim/study/tune/estimated_step.h"

#include <array>

#include <doctest/doctest.h>

#include "sim/run/simulate.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::estimated_step_test {
namespace {

using testing::data_folder;
using testing::scenario_file;

Scenario scenario_of(const char* file, const char* row, const char* set) {
  return scenario_file(file).scenario(data_folder(), row, {parse_setting(set)});
}

TEST_CASE("A step of many micro-batches is estimated within 0.1 %") {
  for (const std::array<const char*, 3>& step : {
           std::array{"llama405b_a4_224", "", "gbs=2016"},
           std::array{"llama31_405b_h100", "bf16-512", "gbs=2016"},
           std::array{"llama31_70b_h100", "fp8-64", "gbs=1024"},
           std::array{"nemotron4_15b_h100", "fp8-64", "gbs=1280"},
           std::array{"nemotron4_340b_h100", "bf16-256", "vp=1"},
       }) {
    CAPTURE(step[0]);
    const Scenario scenario = scenario_of(step[0], step[1], step[2]);
    const double whole = simulate(scenario).step_time_s;
    CHECK(step_time(scenario) == whole);
    CHECK(estimated_step_time(scenario) == doctest::Approx(whole).epsilon(1e-3));
  }
}

TEST_CASE("A step of few micro-batches is simulated as it is") {
  const Scenario scenario = scenario_of("llama31_8b_h100", "bf16-8", "gbs=16");
  CHECK(estimated_step_time(scenario) == step_time(scenario));
}

TEST_CASE("What changes nothing of the step changes nothing of its estimate") {
  const DataFolder here = data_folder();
  const std::string file = "gpus/b200-sxm.yaml";
  const DataFolder there = here.with({{file, "nccl.nvls.base", 1e-6, {file}}});
  const ScenarioSource source = scenario_file("llama405b_a4_224");
  CHECK(estimated_step_time(source.scenario(there, "", {})) ==
        estimated_step_time(source.scenario(here, "", {})));
}

}  // namespace
}  // namespace simtrain::testing::estimated_step_test
