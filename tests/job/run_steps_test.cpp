#include "sim/job/steps/run_steps.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include <doctest/doctest.h>

#include "sim/core/files/data_folder.h"
#include "sim/run/results/sampled_steps.h"
#include "tests/core/checkout.h"
#include "tests/core/error_of.h"

namespace simtrain::testing::run_steps_test {
namespace {

/// Steps of 10 s that deviate by a hundredth of a second.
Report steady(int steps, std::uint64_t seed = 0) {
  Report report;
  report.software = "megatron-core-2025";
  report.gpus = 2000;
  report.step_time_s = 10;
  report.step_spread = {0.01, 4};
  report.sample = sampled_steps(report, steps, seed);
  return report;
}

StepEvents events() { return load_step_events(DataFolder(source_dir())); }

double mean_behind_first(const std::vector<RunStep>& steps) {
  double sum = 0;
  for (std::size_t i = 1; i < steps.size(); ++i) sum += steps[i].seconds;
  return sum / static_cast<double>(steps.size() - 1);
}

TEST_CASE("The first step takes longer by software and GPUs, and others what the report says") {
  const Report report = steady(100'000);
  const auto steps = run_steps(report, events(), {});
  REQUIRE(steps.size() == 100'000);
  CHECK(steps.front().seconds == doctest::Approx(10 + 82 + 2 * 3).epsilon(0.03));
  CHECK(mean_behind_first(steps) == doctest::Approx(10).epsilon(2e-4));
  CHECK(std::all_of(steps.begin(), steps.end(), [](const RunStep& s) { return s.after_s == 0; }));
  CHECK(events().first_step_s("nemo-25.04.01") == doctest::Approx(14));
  CHECK(events().connections_s(8) == doctest::Approx(0.024));
  CHECK(events().first_step_s("nemo-24.09") == doctest::Approx(82));
}

TEST_CASE("One to two percent of steps lie above 1.05 times the median, as in MLPerf's logs") {
  for (const std::uint64_t seed : {0U, 1U, 2U}) {
    const auto steps = run_steps(steady(20'000, seed), events(), {});
    std::vector<double> sorted;
    for (const RunStep& step : steps) sorted.push_back(step.seconds);
    std::sort(sorted.begin(), sorted.end());
    const double bound = 1.05 * sorted[sorted.size() / 2];
    const auto above = static_cast<double>(
        std::count_if(sorted.begin(), sorted.end(), [&](double s) { return s > bound; }));
    CHECK(above / 20'000 > 0.01);
    CHECK(above / 20'000 < 0.02);
    CHECK(sorted[sorted.size() - 2] < 1.25 * 10);
  }
}

TEST_CASE("Garbage collection, validation and checkpoints come when they are due") {
  StepEvents quiet = events();
  quiet.slow_share.value = 0;
  quiet.garbage_collection.value = to_duration(1);
  Report report = steady(1000);
  report.sample->seconds.assign(1000, 10.0);
  BetweenSteps between;
  between.evaluation_s = 7;
  between.eval_interval = 50;
  between.save_s = 3;
  between.save_interval = 40;
  between.local_save_s = 1;
  between.local_interval = 20;
  const auto steps = run_steps(report, quiet, between);
  CHECK(steps[99].seconds == doctest::Approx(steps[98].seconds + 1));
  CHECK(steps[100].seconds == steps[98].seconds);
  CHECK(steps[49].after_s == 7);
  CHECK(steps[39].after_s == 3);
  CHECK(steps[19].after_s == 1);
  CHECK(steps[199].after_s == 10);
  CHECK(steps[0].after_s == 0);
}

TEST_CASE("Fewer steps of a seed are the first of more") {
  const auto few = run_steps(steady(50, 9), events(), {});
  const auto more = run_steps(steady(500, 9), events(), {});
  for (std::size_t i = 0; i < few.size(); ++i) CHECK(few[i].seconds == more[i].seconds);
}

TEST_CASE("A file of step events without a row for all software is refused") {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / "simtrain-step-events";
  fs::create_directories(root / "hardware");
  std::ostringstream text;
  text << std::ifstream(fs::path(source_dir()) / "hardware/steps.yaml").rdbuf();
  const auto refusal = [&](const std::string& replaced, const std::string& by) {
    std::string edited = text.str();
    edited.replace(edited.find(replaced), replaced.size(), by);
    std::ofstream(root / "hardware/steps.yaml") << edited;
    return error_of([&] { load_step_events(DataFolder(root.string())); });
  };
  CHECK(refusal("  - adds", "  - software: megatron\n    adds").find("needs one row") !=
        std::string::npos);
  CHECK(refusal("  - software: nemo-25\n    adds", "  - adds").find("needs one row") !=
        std::string::npos);
  CHECK(refusal("slow_most: {value: 1.2", "slow_most: {value: 1.01").find("less than slow_least") !=
        std::string::npos);
  fs::remove_all(root);
}

}  // namespace
}  // namespace simtrain::testing::run_steps_test
