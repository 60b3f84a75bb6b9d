#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <simtrain/simtrain.h>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::api::measured_test {
namespace {

using Json = nlohmann::json;

const std::string kScenario = "/validation/example_runs/llama31_8b_h100.yaml";
const std::string kLog = "/validation/example_runs/llama31_8b_h100.bf16-8.out";

std::string at(const std::string& path) { return testing::source_dir() + path; }
Scenario measured_scenario() {
  return Scenario::from_file(DataFolder(testing::source_dir()), at(kScenario)).row("bf16-8");
}

std::string printed(std::vector<std::string> words, const std::string& format) {
  words.insert(words.end(), {"--format", format});
  return testing::run_simtrain(words).out;
}

TEST_CASE("Metrics of a log are those of the command, figure by figure") {
  const Metrics found = metrics({at(kLog)}, measured_scenario());
  const Json document = Json::parse(
      printed({"metrics", at(kLog), "--scenario", at(kScenario), "--row", "bf16-8"}, "json"));
  CHECK(Json::parse(found.json) == document);
  REQUIRE(found.runs.size() == 1);
  const LogMetrics& run = found.runs.front();
  const Json& told = document["runs"][0];
  CHECK(run.name == told["name"]);
  CHECK(run.status == told["status"]);
  CHECK(run.why == told["why"]);
  CHECK(run.step_time_s->mean == told["step_time_s"]["mean"]);
  CHECK(*run.mfu == told["mfu"]);
  CHECK(*run.tokens_per_s == told["tokens_per_s"]);
  CHECK(run.steps.size() == told["steps"].size());
  CHECK(run.window == told["window"]["text"]);
  CHECK(found.text ==
        testing::run_simtrain({"metrics", at(kLog), "--scenario", at(kScenario), "--row", "bf16-8"})
            .out);
}

TEST_CASE("Without a scenario a log says what it has, of the steps that are asked for") {
  const Metrics last = metrics({at(kLog)}, {}, {.steps = "last", .format = ""});
  CHECK(last.runs.front().steps.size() == 1);
  CHECK_FALSE(last.runs.front().step_time_s->std.has_value());
  CHECK_FALSE(last.runs.front().mfu.has_value());
  const Metrics all = metrics({at("/validation/example_runs/llama31_8b_h100.bf16-8.out"),
                               at("/validation/example_runs/llama405b_a4_224.json")});
  CHECK(all.runs.size() == 2);
  CHECK(all.runs[0].format != all.runs[1].format);
}

TEST_CASE("A log is compared as the command compares it") {
  const Comparison found = compare(measured_scenario(), at(kLog));
  const std::vector<std::string> words{"compare", at(kScenario), at(kLog), "--row", "bf16-8"};
  const Json document = Json::parse(printed(words, "json"));
  CHECK(Json::parse(found.json) == document);
  CHECK(found.text == testing::run_simtrain(words).out);
  CHECK(found.predicted_s == document["predicted_s"]);
  CHECK(found.measured_s.mean == document["measured_s"]["mean"]);
  CHECK(found.error == doctest::Approx(found.predicted_s / found.measured_s.mean - 1));
  CHECK(found.inside == (found.interval_90_s.low <= found.measured_s.mean &&
                         found.measured_s.mean <= found.interval_90_s.high));
  REQUIRE(found.explanations.size() == document["explanations"].size());
  CHECK(found.explanations[0].share == document["explanations"][0]["share"]);
  CHECK(found.explanations[0].verdict == document["explanations"][0]["verdict"]);
}

TEST_CASE("A stack that would explain a slow run is named") {
  const Scenario faster = measured_scenario().with("hardware.gpu.gemm.kernel_floor", "60 us");
  const Comparison found = compare(faster, at(kLog));
  CHECK_FALSE(found.inside);
  REQUIRE_FALSE(found.stacks.empty());
  for (const StackExplanation& stack : found.stacks)
    CHECK(stack.refusal.empty() == stack.error.has_value());
}

TEST_CASE("What is wrong with logs is said by path or key") {
  CHECK_THROWS_AS(static_cast<void>(metrics({})), InputError);
  CHECK_THROWS_AS(static_cast<void>(metrics({at("/no/such.log")})), InputError);
  CHECK_THROWS_AS(static_cast<void>(metrics({at(kLog)}, {}, {.steps = "44:11", .format = ""})),
                  InputError);
  CHECK_THROWS_AS(static_cast<void>(metrics({at(kLog)}, {}, {.steps = "", .format = "nemoo"})),
                  InputError);
  CHECK_THROWS_AS(static_cast<void>(compare(measured_scenario(), at("/README.md"))), InputError);
  CHECK_THROWS_AS(
      static_cast<void>(
          compare(Scenario::from_file(DataFolder(testing::source_dir()), at(kScenario)), at(kLog))),
      InputError);
}

}  // namespace
}  // namespace simtrain::api::measured_test
