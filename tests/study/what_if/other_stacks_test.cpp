#include "sim/study/compare/other_stacks.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "sim/study/tune/estimated_step.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::other_stacks_test {
namespace {

using testing::data_folder;
using testing::scenario_file;

/// A plan "measured" with a software stack and predicted with another.
RunToExplain run_with(const std::string& truth, const std::string& given) {
  const DataFolder data = data_folder();
  RunToExplain run{scenario_file("llama31_8b_h100"), "bf16-8", {parse_setting("gbs=16")}, 0, 0};
  const auto time_with = [&](const std::string& name) {
    std::vector<Setting> settings = run.settings;
    settings.push_back(parse_setting("software=" + name));
    return step_time(run.source.scenario(data, run.row, settings));
  };
  run.measured_s = time_with(truth);
  run.settings.push_back(parse_setting("software=" + given));
  run.predicted_s = time_with(given);
  return run;
}

TEST_CASE("The stack that the run had explains it") {
  const std::string truth = "megatron-core-lts";
  const RunToExplain run = run_with(truth, "nemo-25.04.01");
  REQUIRE(std::abs(run.predicted_s / run.measured_s - 1) > 0.02);
  const OtherStacks stacks = other_stacks(data_folder(), {run});
  CHECK(stacks.needed);
  CHECK(stacks.stacks.size() == data_folder().names("hardware/software").size() - 1);
  const OtherStack& best = stacks.stacks.front();
  CHECK(best.left == doctest::Approx(0).epsilon(1e-9));
  CHECK(best.explains);
  CHECK(stacks.worth_reporting(best));
  CHECK(best.errors.at(0) == doctest::Approx(0).epsilon(1e-9));
  for (const OtherStack& stack : stacks.stacks) {
    CHECK(stack.name != "nemo-25.04.01");
    if (stack.name == truth) CHECK(stack.predicted_s.at(0) == run.measured_s);
    if (!stack.refusal.empty()) CHECK(stack.predicted_s.empty());
  }
}

TEST_CASE("Another stack overlaps tensor parallelism in its own way") {
  RunToExplain run = run_with("megatron-core-lts", "nemo-25.04.01");
  for (const char* text :
       {"tp=2", "overlap.tp_comm_overlap=true", "overlap.tp_comm_overlap_table=te-default",
        "parallelism.sequence_parallel=true"})
    run.settings.push_back(parse_setting(text));
  for (const OtherStack& stack : other_stacks(data_folder(), {run}).stacks) {
    CAPTURE(stack.name);
    CAPTURE(stack.refusal);
    CHECK(stack.refusal.find("tp_comm_overlap") == std::string::npos);
    if (stack.name == "torchtitan-2025") CHECK(stack.predicted_s.size() == 1);
  }
}

TEST_CASE("Nothing is tried for a run that is as predicted") {
  const OtherStacks stacks =
      other_stacks(data_folder(), {run_with("nemo-25.04.01", "nemo-25.04.01")});
  CHECK(!stacks.needed);
  CHECK(stacks.stacks.empty());
}

}  // namespace
}  // namespace simtrain::testing::other_stacks_test
