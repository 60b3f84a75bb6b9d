#include "sim/study/what_if/explain.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "tests/run/scenarios.h"

namespace simtrain::testing::explain_test {
namespace {

using testing::data_folder;
using testing::scenario_file;

struct Explained {
  std::string file;
  std::string row;
  Scenario scenario = scenario_file(file).scenario(data_folder(), row, {});
  SimulatedStep simulated = simulate_step(scenario);
  Explanation why = [&] {
    const ScenarioSource source = scenario_file(file);
    const DataFolder data = data_folder();
    return explain({source, data, row, {}}, simulated);
  }();
};

const Explained& small() {
  static const Explained explained{"llama31_8b_h100", "fp8-8"};
  return explained;
}

const ChangeResult* find(const Explanation& why, const std::string& name) {
  const auto found = std::find_if(why.changes.begin(), why.changes.end(),
                                  [&](const ChangeResult& c) { return c.name == name; });
  return found == why.changes.end() ? nullptr : &*found;
}

TEST_CASE("The critical path by stage sums to the step") {
  for (const auto& [file, row] :
       {std::pair{"llama31_8b_h100", "fp8-8"}, std::pair{"nemotron4_340b_h100_2411", "bf16-128"}}) {
    const Scenario scenario = scenario_file(file).scenario(data_folder(), row, {});
    const SimulatedStep simulated = simulate_step(scenario);
    const PathSummary path = summarize_path(simulated.plan, simulated.timeline);
    double sum = 0;
    for (const PathStage& stage : path.stages) sum += stage.total_s();
    CHECK(sum == doctest::Approx(to_seconds(simulated.timeline.end)).epsilon(1e-9));
    CHECK(path.stages.size() <= static_cast<std::size_t>(scenario.recipe.pp()));
    CHECK((path.moves > 0) == (path.stages.size() > 1));
  }
}

TEST_CASE("A changed knob is the changed scenario, simulated") {
  const Explanation& why = small().why;
  int knobs = 0;
  for (const ChangeResult& change : why.changes) {
    CHECK(change.relative ==
          doctest::Approx(change.step_time_s / why.step_time_s - 1).epsilon(1e-12));
    if (change.kind != ChangeKind::knob) continue;
    ++knobs;
    CHECK(change.from != change.to);
  }
  CHECK(knobs >= 8);
  const auto precision = std::find_if(
      why.changes.begin(), why.changes.end(),
      [](const ChangeResult& change) { return change.name == "precision" && change.to == "bf16"; });
  REQUIRE(precision != why.changes.end());
  const Report bf16 = simulate(testing::scenario("llama31_8b_h100", "fp8-8",
                                                 {"precision=bf16", "training.fp8_params=false"}));
  CHECK(precision->step_time_s == bf16.step_time_s);
  CHECK(precision->mfu == bf16.mfu);
  CHECK(precision->fits == bf16.fits());
}

TEST_CASE("Of mixtures the dispatcher, the balance and EP are changed too") {
  const ScenarioSource source = scenario_file("mixtral_8x7b_h200");
  const DataFolder data = data_folder();
  std::vector<Setting> settings;
  for (const char* text :
       {"nodes=2", "gbs=32",
        "model_overrides={num_layers: 4, layers: [{blocks: [gqa, moe], repeat: 4}]}", "pp=1",
        "moe={moe_token_dispatcher_type: alltoall}"})
    settings.push_back(parse_setting(text));
  const Scenario scenario = source.scenario(data, "bf16-256", settings);
  const SimulatedStep simulated = simulate_step(scenario);
  const Explanation why = explain({source, data, "bf16-256", settings}, simulated);
  const auto changed = [&](const std::string& name, const std::string& to) {
    return std::any_of(why.changes.begin(), why.changes.end(), [&](const ChangeResult& change) {
      return change.name == name && change.to == to && change.from != to;
    });
  };
  CHECK(changed("dispatcher", "deepep"));
  CHECK(changed("dispatcher", "hybridep"));
  CHECK(!changed("dispatcher", "alltoall"));
  CHECK(changed("EP", "4"));
  const ChangeResult* balanced = find(why, "routing");
  REQUIRE(balanced != nullptr);
  CHECK(balanced->to == "balanced");
  CHECK(balanced->step_time_s <= why.step_time_s);
  CHECK(find(small().why, "dispatcher") == nullptr);
}

TEST_CASE("Launches that block are a change where a scenario has them, and only there") {
  CHECK(find(small().why, "launches that block") == nullptr);
  const ScenarioSource source = scenario_file("llama31_8b_h100");
  const DataFolder data = data_folder();
  const std::string row = "bf16-8";
  std::vector<Setting> settings;
  for (const char* text : {"overlap.tp_comm_overlap=false", "overlap.overlap_grad_reduce=false",
                           "overlap.overlap_param_gather=false", "cuda_launch_blocking=true"})
    settings.push_back(parse_setting(text));
  const Scenario scenario = source.scenario(data, row, settings);
  const SimulatedStep simulated = simulate_step(scenario);
  const Explanation why = explain({source, data, row, settings}, simulated);
  const ChangeResult* change = find(why, "launches that block");
  REQUIRE(change != nullptr);
  CHECK(change->from == "on");
  CHECK(change->to == "off");
  CHECK(change->relative < 0);
}

TEST_CASE("A whole number goes to the next legal value on either side") {
  std::vector<std::string> steps;
  for (const ChangeResult& change : small().why.changes) {
    if (change.name == "TP") steps.push_back(change.to);
  }
  CHECK(steps == std::vector<std::string>{"2"});  // from 1, on 8 GPUs
}

TEST_CASE("Without a cost a step is never longer, and with an ideal network as short as can be") {
  const Explained explained{"nemotron4_340b_h100_2411", "bf16-128"};
  const Explanation& why = explained.why;
  int costs = 0;
  for (const ChangeResult& change : why.changes) {
    if (change.kind != ChangeKind::cost_removed) continue;
    ++costs;
    CAPTURE(change.name);
    CHECK(change.relative <= 1e-6);
    CHECK(change.from.empty());
  }
  CHECK(costs == 6);
  const ChangeResult* ideal = find(why, "ideal network: no latency, 100 times the bandwidth");
  const ChangeResult* quick = find(why, "network without latency");
  REQUIRE(ideal != nullptr);
  REQUIRE(quick != nullptr);
  CHECK(ideal->relative < 0);
  CHECK(ideal->relative <= quick->relative + 1e-9);
}

TEST_CASE("Changes that fit come first, each part by step time, the same in each run") {
  const Explanation& why = small().why;
  CHECK(std::is_sorted(why.changes.begin(), why.changes.end(),
                       [](const ChangeResult& a, const ChangeResult& b) {
                         return a.fits != b.fits ? a.fits : a.step_time_s < b.step_time_s;
                       }));
  const Explained again{"llama31_8b_h100", "fp8-8"};
  REQUIRE(again.why.changes.size() == why.changes.size());
  for (std::size_t i = 0; i < why.changes.size(); ++i) {
    CHECK(again.why.changes[i].name == why.changes[i].name);
    CHECK(again.why.changes[i].to == why.changes[i].to);
    CHECK(again.why.changes[i].step_time_s == why.changes[i].step_time_s);
  }
}

}  // namespace
}  // namespace simtrain::testing::explain_test
