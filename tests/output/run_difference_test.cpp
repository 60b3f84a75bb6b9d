#include "sim/output/difference/run_difference.h"

#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "sim/output/difference/difference_report.h"
#include "sim/run/simulate.h"
#include "tests/output/page.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::run_difference_test {
namespace {

/// Two rows, simulated, and what is made of them.
struct TwoRuns {
  TwoRuns(const testing::Case& first, const testing::Case& second)
      : run(testing::scenario(first.file, first.row, first.settings)),
        against(testing::scenario(second.file, second.row, second.settings)),
        run_report(simulate(run)),
        against_report(simulate(against)) {}
  [[nodiscard]] RunDifference difference() const {
    return run_difference({run, run_report}, {against, against_report});
  }
  Scenario run;
  Scenario against;
  Report run_report;
  Report against_report;
};

const std::vector<std::pair<testing::Case, testing::Case>>& pairs() {
  static const std::vector<std::pair<testing::Case, testing::Case>> all{
      {{"llama31_70b_h100", "fp8-64", {}}, {"llama31_70b_h100", "bf16-64", {}}},
      {{"llama31_8b_h100", "bf16-8", {"tp=2"}}, {"llama31_8b_h100", "bf16-8", {}}},
      {{"llama31_8b_h100", "bf16-8", {}}, {"llama31_70b_h100", "bf16-64", {}}}};
  return all;
}

TEST_CASE("Changes of the parts sum to that of the step time, forth and back") {
  for (const auto& pair : pairs()) {
    const TwoRuns runs(pair.first, pair.second);
    const TwoRuns back(pair.second, pair.first);
    const RunDifference difference = runs.difference();
    double sum = 0;
    for (const PartDifference& one : difference.parts) sum += one.change_s();
    CHECK(sum == doctest::Approx(difference.change_s()).epsilon(1e-9));
    CHECK(difference.change_s() == runs.run_report.step_time_s - runs.against_report.step_time_s);
    CHECK(back.difference().change_s() == -difference.change_s());
    REQUIRE(back.difference().keys.size() == difference.keys.size());
    for (const KeyDifference& key : difference.keys) {
      const auto keys = back.difference().keys;
      CHECK(std::any_of(keys.begin(), keys.end(), [&](const KeyDifference& other) {
        return other.key == key.key && other.first == key.second && other.second == key.first;
      }));
    }
  }
}

TEST_CASE("A run against itself differs in nothing") {
  const testing::Case same{"llama31_8b_h100", "bf16-8", {}};
  const TwoRuns runs(same, same);
  const RunDifference difference = runs.difference();
  CHECK(difference.change_s() == 0);
  CHECK(difference.keys.empty());
  CHECK(difference_text(difference).find("Keys that differ (0)") != std::string::npos);
  CHECK(testing::has(difference_html(difference), "None: both simulate the same recipe."));
}

TEST_CASE("A changed key is listed with both values, hardware too") {
  const TwoRuns runs({"llama31_8b_h100", "bf16-8", {"tp=2", "hardware.nic_bandwidth=200Gb/s"}},
                     {"llama31_8b_h100", "bf16-8", {}});
  std::vector<std::string> keys;
  for (const KeyDifference& key : runs.difference().keys)
    keys.push_back(key.key + ": " + key.first + " -> " + key.second);
  CHECK(std::count(keys.begin(), keys.end(), "parallelism.tensor_model_parallel_size: 1 -> 2") ==
        1);
  CHECK(std::any_of(keys.begin(), keys.end(), [](const std::string& key) {
    return key.starts_with("hardware.") && key.find("nic_bandwidth") != std::string::npos;
  }));
}

TEST_CASE("Pages, texts and JSON of two runs agree; steps of unlike tokens are called so") {
  for (const auto& pair : pairs()) {
    const TwoRuns runs(pair.first, pair.second);
    const RunDifference difference = runs.difference();
    const std::string page = difference_html(difference);
    testing::check_whole(page);
    const auto fall = testing::data_of(page)["fall"];
    CHECK(fall["parts"].front()["from"] == fall["against_s"]);
    CHECK(fall["parts"].back()["to"].get<double>() ==
          doctest::Approx(fall["run_s"].get<double>()).epsilon(1e-9));
    const std::string text = difference_text(difference);
    const bool unlike = text.find("unlike tokens") != std::string::npos;
    CHECK(unlike == !difference.same_tokens());
    CHECK(testing::has(page, "unlike tokens") == unlike);
    const auto json = nlohmann::json::parse(difference_json(difference));
    CHECK(json["schema"] == "simtrain.difference/1");
    CHECK(json["run"]["step_time_s"]["mean"] == runs.run_report.step_time_s);
    CHECK(json["against"]["step_time_s"]["mean"] == runs.against_report.step_time_s);
    CHECK(json["keys"].size() == difference.keys.size());
  }
}

TEST_CASE("The memory of the fullest stages sums to what they need in all") {
  const TwoRuns runs(pairs().front().first, pairs().front().second);
  const std::vector<DifferenceLine> lines = memory_lines(runs.difference());
  REQUIRE(lines.size() > 5);
  double sum = 0;
  for (std::size_t i = 0; i + 2 < lines.size(); ++i) sum += std::stod(lines[i].run);
  CHECK(lines[lines.size() - 2].name == "in all");
  CHECK(sum == doctest::Approx(std::stod(lines[lines.size() - 2].run)).epsilon(0.02));
}

}  // namespace
}  // namespace simtrain::testing::run_difference_test
