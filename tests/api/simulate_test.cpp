#include "sim/run/simulate.h"

#include <numeric>
#include <thread>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <simtrain/simulate.h>

#include "tests/core/checkout.h"

namespace simtrain::api::simulate_test {
namespace {

DataFolder source_data() { return DataFolder(testing::source_dir()); }
Scenario file() { return Scenario::from_data(source_data(), "llama31_8b_h100"); }

/// JSON without the time that the simulation took.
nlohmann::json without_wall(const Result& result) {
  nlohmann::json json = nlohmann::json::parse(result.json());
  json["engine"].erase("wall_s");
  return json;
}

TEST_CASE("A result is the report of the simulation") {
  const Result result = simulate(file().row("bf16-16"));
  const simtrain::DataFolder folder(testing::source_dir());
  const Report report = simtrain::simulate(
      ScenarioSource::from_file(testing::source_dir() + "/scenarios/llama31_8b_h100.yaml")
          .scenario(folder, "bf16-16", {}));
  CHECK(result.fingerprint == report.engine.fingerprint);
  CHECK(result.step_time_s == report.step_time_s);
  CHECK(result.mfu == report.mfu);
  CHECK(result.gpus == 16);
  CHECK(result.parameters.total == report.parameters.model);
  CHECK(result.communication.size() == report.communication.size());
  CHECK(result.events == report.engine.events);
  CHECK(result.step_time_interval.low < result.step_time_s);
  CHECK(result.step_time_interval.high > result.step_time_s);
}

TEST_CASE("A result agrees with its JSON text") {
  const Result result = simulate(file().row("fp8-8"));
  const nlohmann::json json = nlohmann::json::parse(result.json());
  CHECK(json["schema"] == "simtrain.result/1");
  CHECK(json["step_time_s"]["mean"] == result.step_time_s);
  CHECK(json["step_time_s"]["expected_std"] == result.step_time_std_s);
  CHECK(json["tokens_per_s"] == result.tokens_per_s);
  CHECK(json["tflops_per_gpu"] == result.tflops_per_gpu);
  CHECK(json["mfu"] == result.mfu);
  CHECK(json["tokens_per_step"] == result.tokens_per_step);
  CHECK(json["data_parallel_size"] == result.data_parallel_size);
  CHECK(json["memory"]["peak_bytes"] == result.peak_bytes);
  CHECK(json["memory"]["fits"] == result.fits);
  CHECK(json["memory"]["per_stage"][0]["total_bytes"] == result.memory.front().total);
  CHECK(json["memory"]["per_stage"][0]["activations_bytes"] == result.memory.front().activations);
  CHECK(json["communication"][0]["exposed_s"] == result.communication.front().exposed_s);
  CHECK(json["engine"]["fingerprint"] == result.fingerprint);
  for (const TimeShare& share : result.breakdown) {
    CAPTURE(share.name);
    CHECK(json["breakdown_s"][share.name] == share.seconds);
  }
  CHECK(result.text().find("Step time") != std::string::npos);
}

TEST_CASE("The breakdown sums to the step, the parts of a stage to its total") {
  const Result result =
      simulate(Scenario::from_data(source_data(), "llama31_70b_h100").row("bf16-64"));
  double sum = 0;
  for (const TimeShare& share : result.breakdown) sum += share.seconds;
  CHECK(sum == doctest::Approx(result.step_time_s).epsilon(1e-9));
  CHECK(result.seconds_of("gemm") > 0.3 * result.step_time_s);
  CHECK(result.seconds_of("no such share") == 0);

  REQUIRE(result.memory.size() == 4);
  for (const StageMemory& stage : result.memory) {
    const double inside = stage.weights + stage.gradients + stage.optimizer +
                          stage.gemm_workspaces + stage.activations + stage.loss + stage.temporary;
    CHECK(stage.allocated == doctest::Approx(inside));
    CHECK(stage.total ==
          doctest::Approx(inside + stage.cuda_context + stage.communicators + stage.user_buffers));
    CHECK(stage.total <= result.fullest_stage().total);
  }
}

TEST_CASE("Folded and unfolded simulations are one") {
  const Scenario scenario = file().row("bf16-16");
  const Result folded = simulate(scenario);
  const Result unfolded = simulate(scenario, {true});
  CHECK(unfolded.ranks_simulated == 16);
  CHECK(folded.ranks_simulated < 16);
  CHECK(unfolded.fingerprint == folded.fingerprint);
  CHECK(unfolded.step_time_s == folded.step_time_s);
}

TEST_CASE("Steps are drawn where they are asked for") {
  const Scenario scenario = file().row("bf16-8");
  CHECK(simulate(scenario).steps_s.empty());
  const Result seven = simulate(scenario, {false, 100, 7});
  CHECK(seven.steps_s.size() == 100);
  CHECK(seven.steps_s == simulate(scenario, {false, 100, 7}).steps_s);
  CHECK(seven.steps_s != simulate(scenario, {false, 100, 8}).steps_s);
  CHECK_THROWS_AS(simulate(scenario, {false, -1}), InputError);
  CHECK_THROWS_AS(simulate(scenario, {false, 1'000'001}), InputError);
}

TEST_CASE("What is no job is an error, what does not fit is a result") {
  CHECK_THROWS_AS(simulate(file()), InputError);
  CHECK_THROWS_AS(simulate(file().row("bf16-8").with("tp", 3)), InputError);
  const Result large = simulate(file().row("bf16-8").with("mbs", 16).with("cp", 1));
  CHECK(!large.fits);
  CHECK(large.fullest_stage().total > large.memory_capacity_bytes);
}

TEST_CASE("Many threads share a data folder and get the same results") {
  const Scenario shared = file();
  const std::vector<std::string> rows{"bf16-8", "bf16-16", "fp8-8", "fp8-16"};
  std::vector<nlohmann::json> alone;
  for (const std::string& row : rows) alone.push_back(without_wall(simulate(file().row(row))));

  std::vector<nlohmann::json> together(2 * rows.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < together.size(); ++i) {
    threads.emplace_back(
        [&, i] { together[i] = without_wall(simulate(shared.row(rows[i % rows.size()]))); });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < together.size(); ++i) CHECK(together[i] == alone[i % rows.size()]);
}

}  // namespace
}  // namespace simtrain::api::simulate_test
