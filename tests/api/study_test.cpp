#include <algorithm>
#include <atomic>
#include <limits>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <simtrain/simtrain.h>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::api::study_test {
namespace {

DataFolder source_data() { return DataFolder(testing::source_dir()); }
Scenario small() { return Scenario::from_data(source_data(), "llama31_8b_h100").row("bf16-8"); }

TEST_CASE("An explanation's path sums to the step, and each change is a simulation") {
  std::atomic<std::size_t> calls = 0;
  const Explanation why = explain(small(), [&](std::size_t done, std::size_t total) {
    CHECK(done <= total);
    ++calls;
  });
  CHECK(calls > 0);
  double sum = 0;
  for (const PathStage& stage : why.path)
    sum += stage.forward_s + stage.backward_s + stage.other_s + stage.communication_s;
  CHECK(sum == doctest::Approx(why.step_time_s).epsilon(1e-6));
  CHECK(why.step_time_s == simulate(small()).step_time_s);
  REQUIRE(!why.what_ifs.empty());
  for (const WhatIf& change : why.what_ifs) {
    CAPTURE(change.name);
    CHECK(change.relative == doctest::Approx(change.step_time_s / why.step_time_s - 1));
    CHECK((change.kind == "knob") == !change.from.empty());
  }
}

TEST_CASE("The best plan of a search is one that was simulated, and a scenario to go on with") {
  TuneOptions options;
  options.limits = {"cp=1", "recompute=none"};
  options.top = 2;
  const TuneResult found = tune(small(), options);
  REQUIRE(found.best.size() == 2);
  CHECK(found.legal <= found.considered);
  CHECK(found.fitting <= found.legal);
  const TunedPlan& best = found.best.front();
  CHECK(best.plan.front() == std::pair<std::string, std::string>("gpus", "8"));
  CHECK(best.result.fits);
  CHECK(best.result.step_time_s <= found.best.back().result.step_time_s);
  CHECK(simulate(best.scenario).fingerprint == best.result.fingerprint);
  CHECK(nlohmann::json::parse(found.json)["schema"] == "simtrain.tune/1");

  options.exhaustive = true;
  CHECK(tune(small(), options).best.front().result.fingerprint == best.result.fingerprint);
  options.gpus = {16};
  CHECK(tune(small(), options).best.front().scenario.gpus() == 16);
}

TEST_CASE("A search refuses wrong sizes, limits and margins") {
  const auto refused = [](TuneOptions options) {
    CHECK_THROWS_AS(static_cast<void>(tune(small(), options)), InputError);
  };
  TuneOptions options;
  options.gpus = {9};
  refused(options);
  options.gpus = {0};
  refused(options);
  options.gpus = {8, 16, 8};
  refused(options);
  options = {};
  options.limits = {"tq=1"};
  refused(options);
  options = {};
  options.top = 0;
  refused(options);
  options = {};
  options.memory_margin = 1;
  refused(options);
  const Scenario table = Scenario::from_data(source_data(), "llama31_8b_h100");
  CHECK_THROWS_AS(static_cast<void>(tune(table)), InputError);
}

TEST_CASE("The front of plans is that of simulating all, and each plan a scenario to go on with") {
  FrontOptions options;
  options.objectives = {Objective::step_time, Objective::memory};
  options.limits = {"cp=1", "recompute=none"};
  std::atomic<std::size_t> calls = 0;
  const FrontResult found = tune_front(small(), options, [&](std::size_t done, std::size_t total) {
    CHECK(done <= total);
    ++calls;
  });
  CHECK(calls > 0);
  CHECK(found.legal <= found.considered);
  CHECK(found.fitting <= found.legal);
  REQUIRE(found.simulated == static_cast<std::int64_t>(found.plans.size()));
  const auto on_front = [](const FrontResult& result) {
    std::vector<std::string> fingerprints;
    for (const FrontPlan& plan : result.plans) {
      if (plan.on_front) fingerprints.push_back(plan.fingerprint);
    }
    return fingerprints;
  };
  REQUIRE(on_front(found).size() > 1);
  for (const FrontPlan& plan : found.plans) {
    const bool dominated =
        std::any_of(found.plans.begin(), found.plans.end(), [&](const FrontPlan& other) {
          return other.step_time_s <= plan.step_time_s && other.memory_bytes <= plan.memory_bytes &&
                 (other.step_time_s < plan.step_time_s || other.memory_bytes < plan.memory_bytes);
        });
    CHECK((!plan.on_front || !dominated));
    CHECK(plan.usd_per_1t_tokens == 0);
  }
  CHECK(simulate(found.plans.front().scenario).fingerprint == found.plans.front().fingerprint);
  CHECK(nlohmann::json::parse(found.json)["schema"] == "simtrain.tune-front/1");

  options.exhaustive = true;
  options.threads = 1;
  CHECK(on_front(tune_front(small(), options)) == on_front(found));
}

TEST_CASE("A search for a front refuses wrong objectives, prices, sizes, limits and margins") {
  const auto refused = [](const FrontOptions& options) {
    CHECK_THROWS_AS(static_cast<void>(tune_front(small(), options)), InputError);
  };
  FrontOptions options;
  options.objectives = {};
  refused(options);
  options.objectives = {Objective::memory, Objective::memory};
  refused(options);
  options.objectives = {Objective::price};
  refused(options);
  options.usd_per_gpu_hour = -1;
  refused(options);
  options.usd_per_gpu_hour = std::numeric_limits<double>::infinity();
  refused(options);
  options = {};
  options.threads = -1;
  refused(options);
  options = {};
  options.gpus = {9};
  refused(options);
  options = {};
  options.limits = {"tq=1"};
  refused(options);
  options = {};
  options.memory_margin = 1;
  refused(options);
}

TEST_CASE("A table of NCCL calls has a row a size, and takes its settings") {
  NcclOptions options;
  options.gpus = 16;
  options.least_bytes = 1024;
  options.most_bytes = 1 << 20;
  options.factor = 4;
  options.settings = "{proto: [simple]}";
  const NcclResult calls = nccl(source_data(), "gcp-a4", "all_reduce", options);
  REQUIRE(calls.sizes.size() == 6);
  for (const NcclSize& size : calls.sizes) {
    CHECK(size.protocol == "simple");
    CHECK(size.algorithm_bandwidth ==
          doctest::Approx(static_cast<double>(size.bytes) / size.time_s));
  }
  CHECK(nlohmann::json::parse(calls.json)["sizes"].size() == 6);
  CHECK(calls.table.find("# Avg bus bandwidth") != std::string::npos);

  const auto refused = [](const std::string& cluster, const std::string& operation,
                          const NcclOptions& wrong) {
    CHECK_THROWS_AS(static_cast<void>(nccl(source_data(), cluster, operation, wrong)), InputError);
  };
  refused("gcp-a5", "all_reduce", {});
  refused("gcp-a4", "reduce", {});
  refused("frontier", "all_reduce", {});
  NcclOptions wrong;
  wrong.gpus = 0;
  refused("gcp-a4", "all_reduce", wrong);
  wrong = {};
  wrong.nodes = 3;
  refused("gcp-a4", "all_reduce", wrong);
  wrong = {};
  wrong.factor = 1;
  refused("gcp-a4", "all_reduce", wrong);
  wrong = {};
  wrong.most_bytes = 4;
  refused("gcp-a4", "all_reduce", wrong);
  wrong = {};
  wrong.settings = "{algos: [ring]}";
  refused("gcp-a4", "all_reduce", wrong);
}

TEST_CASE("A validation says what the command says; without measurements there is no machine") {
  const std::string path = testing::source_dir() + "/validation/memory.yaml";
  const Validation validation = validate(source_data(), {path});
  const auto program =
      nlohmann::json::parse(testing::run_simtrain({"validate", path, "--format", "json"}).out);
  CHECK(nlohmann::json::parse(validation.json) == program);
  CHECK(validation.broken.empty());
  CHECK_THROWS_AS(static_cast<void>(validate(source_data(), {"/nowhere.yaml"})), InputError);

  const MachineFit fit =
      calibrate_machine(source_data(), "mine", "dgx-superpod-b200",
                        {testing::source_dir() + "/hardware/measured/simumax-b200", ""});
  CHECK(fit.node == "hgx-b200");
  REQUIRE(fit.values.size() == 1);
  CHECK(fit.values.front().key == "gpu.power.available");
  CHECK(fit.values.front().value < fit.values.front().before);
  CHECK_THROWS_AS(
      static_cast<void>(calibrate_machine(source_data(), "mine", "dgx-superpod-b200", {})),
      InputError);
}

TEST_CASE("Scenarios and files as JSON are read as they were") {
  const DataFolder data = source_data();
  for (const std::string& name : data.names("scenarios")) {
    Scenario scenario = Scenario::from_data(data, name);
    if (!scenario.rows().empty()) scenario = scenario.row(scenario.rows().front());
    CAPTURE(name);
    CHECK(Scenario::from_text(data, scenario.json()).yaml() == scenario.yaml());
  }
  const auto gpu = nlohmann::json::parse(data.json("gpus", "h100-sxm"));
  CHECK(gpu["sm_count"]["value"] == 132);
  CHECK(gpu["memory_bandwidth"]["value"] == "3.35 TB/s");
  CHECK_THROWS_AS(static_cast<void>(data.json("gpus", "h100")), InputError);
  CHECK_THROWS_AS(static_cast<void>(data.json("gpu", "h100-sxm")), InputError);
}

TEST_CASE("Every kind that has a schema prints one") {
  for (const std::string& kind : DataFolder::schemas()) {
    CAPTURE(kind);
    const auto schema = nlohmann::json::parse(source_data().schema(kind));
    CHECK(schema["$id"] == "urn:simtrain:" + kind);
    CHECK(schema["type"] == "object");
  }
  CHECK_THROWS_AS(static_cast<void>(source_data().schema("gpus")), InputError);
}

TEST_CASE("The size of a sweep is the number of its rows") {
  const std::vector<Axis> axes{{"tp", "1,2,3"}, {"mbs", "1:2"}};
  CHECK(sweep_size(small(), axes) == sweep(small(), axes).size());
  CHECK_THROWS_AS(static_cast<void>(sweep_size(small(), {{"tq", "1"}})), InputError);
  CHECK(sweep_size(small(), {{"tp", "1,none"}}) == 2);
  CHECK_THROWS_AS(static_cast<void>(sweep(small(), {{"tp", "1,none"}})), InputError);
}

}  // namespace
}  // namespace simtrain::api::study_test
