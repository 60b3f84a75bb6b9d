#include "sim/study/tune/lower_bound.h"

#include <random>

#include <doctest/doctest.h>

#include "sim/run/simulate.h"
#include "sim/study/tune/plan_space.h"
#include "sim/workload/plan/stage_passes.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "tests/study/plan_search.h"

namespace simtrain::testing::lower_bound_test {

namespace {

/// Of a study's plans, how near the bound came.
struct Nearness {
  int plans = 0;
  double sum = 0;
  double joules = 0;
};

/// Plans that are simulated in a few milliseconds.
std::vector<PlanChoice> light_plans(const Scenario& base) {
  std::vector<PlanChoice> result;
  for (const LegalPlan& plan : plan_space(base, limits({"cp=1:8", "mbs=1:8"}), 0).legal) {
    Scenario scenario = base;
    apply(plan.choice, scenario);
    const RankGrid grid = rank_grid(scenario.recipe, scenario.gpus());
    if (grid.micro_batches() * scenario.recipe.vp() * scenario.recipe.pp() <= 300)
      result.push_back(plan.choice);
  }
  return result;
}

/// The ways in which communication overlaps decide what a bound may count: any of them.
void shuffle_overlap(OverlapSpec& overlap, std::mt19937& random) {
  const auto coin = [&] { return random() % 2 == 0; };
  overlap.overlap_p2p_comm = coin();
  overlap.overlap_grad_reduce = coin();
  overlap.overlap_param_gather = coin();
  overlap.defer_embedding_wgrad_compute = coin();
  overlap.wgrad_deferral_limit = coin() ? 0 : 3;
}

/// alone <= simulated passes <= with ends <= simulated, for `count` random plans.
void check_bounds(Scenario base, int count, std::mt19937& random, Nearness& nearness) {
  const std::vector<PlanChoice> plans = light_plans(base);
  REQUIRE(!plans.empty());
  const StepTimeBound bound(base);
  for (int i = 0; i < count; ++i) {
    shuffle_overlap(base.recipe.overlap, random);
    const PlanChoice& choice = plans[random() % plans.size()];
    CAPTURE(text_of(choice));
    Scenario scenario = base;
    apply(choice, scenario);
    const double alone = bound.seconds(scenario.recipe, bound.alone_costs(scenario.recipe), false);
    const PassCosts costs = bound.pass_costs(scenario.recipe);
    const double passes = bound.seconds(scenario.recipe, costs, false);
    const double all = bound.seconds(scenario.recipe, costs, true);
    const Report report = simulate(scenario);
    const double simulated = report.step_time_s;
    const double joules = bound.joules_per_token(scenario.recipe, costs, all);
    CHECK(alone > 0);
    CHECK(alone <= passes);
    CHECK(passes <= all);
    CHECK(all <= simulated);
    nearness.plans += 1;
    nearness.sum += simulated / all - 1;
    CHECK(joules > 0);
    CHECK(joules <= report.energy.joules_per_token());
    nearness.joules += report.energy.joules_per_token() / joules - 1;
  }
}

}  // namespace

TEST_CASE("no plan of any recipe is simulated faster than its bounds") {
  std::mt19937 random(20261121);
  Nearness nearness;
  for (const std::string& file : data_folder().names("scenarios")) {
    const ScenarioSource source = scenario_file(file);
    std::vector<std::string> rows = source.row_names();
    if (rows.empty()) rows.emplace_back();
    for (const std::string& row : rows) {
      Scenario base = draft(file, row);
      if (base.gpus() > 256) continue;
      CAPTURE(file);
      CAPTURE(row);
      base.recipe.training.global_batch_size = base.gpus();
      check_bounds(base, 12, random, nearness);
    }
  }
  CHECK(nearness.plans >= 400);
  CHECK(nearness.sum / nearness.plans < 0.06);  // near enough to leave few plans to simulate
  CHECK(nearness.joules / nearness.plans < 0.08);
}

TEST_CASE("nor on a cluster where groups lie unlike or links between switches bind") {
  std::mt19937 random(7);
  Nearness nearness;
  const std::vector<std::vector<std::string>> clusters{
      {"cluster.faults.gpus=[{host: 0, gpu: 0, slowdown: 1.5}]"},
      {"cluster.faults.gpus=[{host: 3, gpu: 5, slowdown: 1.2}, {host: 0, gpu: 1, slowdown: 1.1}]"},
      {"cluster.faults.nics=[{host: 1, nic: 2, bandwidth_share: 0.4}]"},
      {"cluster.faults.nics=[{host: 2, nic: 0, bandwidth_share: 0}]"},
      {"cluster.available_nodes=40", "cluster.placement={kind: random, seed: 5}"},
      {"cluster.name=fat-tree-h100-2to1"},
      {"cluster.name=fat-tree-h100-2to1", "cluster.available_nodes=24",
       "cluster.placement={kind: random, seed: 9}"}};
  for (const std::vector<std::string>& cluster : clusters) {
    CAPTURE(cluster.front());
    std::vector<std::string> settings{"nodes=4", "gbs=64"};
    settings.insert(settings.end(), cluster.begin(), cluster.end());
    check_bounds(draft("llama31_8b_h100", "bf16-32", settings), 8, random, nearness);
    check_bounds(draft("nemotron4_15b_h100", "fp8-32", settings), 8, random, nearness);
  }
}

TEST_CASE("nor where passes run in pairs") {
  std::mt19937 random(13);
  Nearness nearness;
  for (const std::string delayed : {"false", "true"}) {
    Scenario base = draft("mixtral_8x7b_h200", "bf16-256",
                          {"nodes=4", "gbs=64", "overlap.overlap_moe_expert_parallel_comm=true",
                           "overlap.delay_wgrad_compute=" + delayed});
    check_bounds(base, 12, random, nearness);
  }
}

TEST_CASE("nor where layers differ, so that every stage is its own") {
  std::mt19937 random(11);
  Nearness nearness;
  for (const std::string layers : {"[{blocks: [gqa, mlp], repeat: 8}, {blocks: [mlp], repeat: 16}, "
                                   "{blocks: [gqa], repeat: 8}]",
                                   "[{blocks: [mlp], repeat: 9}, {blocks: [mlp, mlp, mlp, mlp]}, "
                                   "{blocks: [gqa], repeat: 22}]"}) {
    CAPTURE(layers);
    const std::vector<std::string> settings{"nodes=4", "gbs=64",
                                            "model_overrides.layers=" + layers};
    check_bounds(draft("llama31_8b_h100", "bf16-32", settings), 12, random, nearness);
    check_bounds(draft("llama31_8b_h100", "fp8-32", settings), 12, random, nearness);
  }
}

TEST_CASE("what plans of one key share is the same whichever is asked") {
  const Scenario base = draft("llama31_8b_h100", "bf16-32", {"gbs=64"});
  const StepTimeBound bound(base);
  std::map<PassKey, std::vector<PlanChoice>> plans;
  for (const LegalPlan& plan : plan_space(base, limits({"mbs=1", "cp=1,2"}), 0).legal) {
    Scenario scenario = base;
    apply(plan.choice, scenario);
    plans[bound.key(scenario.recipe)].push_back(plan.choice);
  }
  CHECK(plans.size() > 4);
  for (const auto& [key, choices] : plans) {
    std::vector<PassCosts> costs;
    for (const PlanChoice& choice :
         {choices.front(), choices[choices.size() / 2], choices.back()}) {
      Scenario scenario = base;
      apply(choice, scenario);
      costs.push_back(bound.pass_costs(scenario.recipe));
    }
    for (const PassCosts& other : costs) {
      CHECK(other.clock == costs.front().clock);
      for (const Piece& piece : pieces_of(base.recipe))
        CHECK(other.pieces[piece].time == costs.front().pieces[piece].time);
    }
  }
}

TEST_CASE("nor where a layout deals the layers out unevenly") {
  std::mt19937 random(15);
  Scenario base = draft("llama31_8b_h100", "bf16-32", {"gbs=64", "tp=1", "cp=1", "pp=4", "vp=2"});
  const StepTimeBound bound(base);
  for (int i = 0; i < 12; ++i) {
    std::vector<int> layers(8, 0);
    for (int layer = 0; layer < base.recipe.model.num_layers; ++layer) ++layers[random() % 8];
    std::string layout = "E";
    for (std::size_t chunk = 0; chunk < layers.size(); ++chunk)
      layout += (chunk > 0 ? "|" : "") + std::string(static_cast<std::size_t>(layers[chunk]), 't');
    layout += "L";
    CAPTURE(layout);
    Scenario scenario = base;
    scenario.recipe.parallelism.pipeline_model_parallel_layout = layout;
    shuffle_overlap(scenario.recipe.overlap, random);
    const PassCosts costs = bound.pass_costs(scenario.recipe);
    CHECK(bound.seconds(scenario.recipe, costs, true) <= simulate(scenario).step_time_s);
  }
}

}  // namespace simtrain::testing::lower_bound_test
