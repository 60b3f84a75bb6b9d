#include "sim/study/tune/tune.h"

#include <algorithm>
#include <oneapi/tbb/global_control.h>
#include <set>

#include <doctest/doctest.h>

#include "sim/run/simulate.h"
#include "sim/study/tune/tune_search.h"
#include "sim/workload/plan/memory/memory.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "tests/core/sanitized.h"
#include "tests/study/plan_search.h"

namespace simtrain::testing::tune_test {

namespace {

struct Question {
  std::string file;
  std::string row;
  std::vector<std::vector<std::string>> sizes;  ///< settings of each
  std::vector<std::string> limits;
  TuneGoal by = TuneGoal::step_time;
};

TuneRequest request_of(const Question& question) {
  TuneRequest request;
  for (const auto& settings : question.sizes)
    request.sizes.push_back(draft(question.file, question.row, settings));
  request.limits = limits(question.limits);
  request.by = question.by;
  return request;
}

void check_equal(const TuneResult& a, const TuneResult& b) {
  REQUIRE(a.best.size() == b.best.size());
  for (std::size_t i = 0; i < a.best.size(); ++i) {
    CHECK(a.best[i].plan.choice == b.best[i].plan.choice);
    CHECK(a.best[i].report.step_time_s == b.best[i].report.step_time_s);
    CHECK(a.best[i].report.engine.fingerprint == b.best[i].report.engine.fingerprint);
  }
}

void check_ahead(const TuneResult& a, const TuneResult& b) {
  CHECK(a.tight_ahead.plans == b.tight_ahead.plans);
  REQUIRE(a.tight_ahead.best.has_value() == b.tight_ahead.best.has_value());
  if (a.tight_ahead.best) CHECK(a.tight_ahead.best->plan.choice == b.tight_ahead.best->plan.choice);
}

/// The least score among all plans that fit, found without the code of the search.
double least_score(const TuneRequest& request) {
  double least = 1e300;
  for (const Scenario& size : request.sizes) {
    for (const LegalPlan& plan : plan_space(size, request.limits, request.memory_margin).legal) {
      if (!plan.fits) continue;
      Scenario scenario = size;
      apply(plan.choice, scenario);
      least = std::min(least, score(request.by, simulate(scenario).step_time_s, plan.choice.gpus));
    }
  }
  return least;
}

}  // namespace

TEST_CASE("the search finds what simulating every plan finds, and simulates few") {
  const std::vector<std::string> light{"cp=1,2", "mbs=1,2"};
  for (const Question& question : thinned(std::vector<Question>{
           {"llama31_8b_h100", "bf16-8", {{"gbs=32"}}, light},
           {"llama31_8b_h100", "fp8-16", {{"gbs=64"}}, light},
           {"llama31_8b_h100", "bf16-64", {{"gbs=64"}}, {"cp=1,2", "mbs=1"}},
           {"llama31_70b_h100", "bf16-64", {{"gbs=64"}}, {"cp=1,2", "mbs=1", "recompute=none"}},
           {"llama31_405b_h100", "fp8-64", {{"gbs=32"}}, {"cp=1,2", "mbs=1,2"}},
           {"llama31_405b_h100", "bf16-512", {{"gbs=128"}}, {"cp=1:4", "mbs=1", "tp=4,8"}},
           {"nemotron4_15b_h100", "fp8-16", {{"gbs=32"}}, light},
           {"nemotron4_340b_gb200", "fp8-128", {{"gbs=32"}}, {"cp=1,2", "mbs=1", "vp=1,2,12"}},
           {"llama405b_a4_224", "", {{"gbs=112"}}, {"cp=1,2", "mbs=1", "tp=4,8"}},
           {"nemotron4_15b_h100",
            "bf16-16",
            {{"gbs=48"}, {"gbs=48", "nodes=3"}, {"gbs=48", "nodes=4"}},
            {"cp=1", "mbs=1,2", "vp=1,2"},
            TuneGoal::cost},
           {"llama31_8b_h100",
            "bf16-32",
            {{"gbs=32", "cluster.name=fat-tree-h100-2to1"}},
            {"cp=1,2", "mbs=1", "vp=1,2"},
            TuneGoal::mfu}})) {
    CAPTURE(question.file);
    CAPTURE(question.row);
    TuneRequest request = request_of(question);
    const TuneResult found = tune(request);
    REQUIRE(!found.best.empty());
    request.exhaustive = true;
    const TuneResult all = tune(request);
    check_equal(found, all);
    check_ahead(found, all);
    CHECK(all.simulated == all.fitting());
    CHECK(found.fitting() == all.fitting());
    CHECK(found.simulated <= all.simulated);
    if (all.simulated >= 100) CHECK(found.simulated * 2 < all.simulated);
  }
}

TEST_CASE("the best of the search is the least of all, simulated one by one") {
  for (const TuneGoal by : {TuneGoal::step_time, TuneGoal::mfu}) {
    const TuneRequest request = request_of({"llama31_8b_h100",
                                            "bf16-8",
                                            {{"gbs=16"}, {"gbs=16", "nodes=2"}},
                                            {"mbs=1", "vp=1,2"},
                                            by});
    const TunedPlan best = tune(request).best.front();
    CHECK(score(by, best.report.step_time_s, best.report.gpus) == least_score(request));
  }
}

TEST_CASE("the best of a mixture's plans is the least of all, over EP and ETP too") {
  const TuneRequest request =
      request_of({"mixtral_8x7b_h200",
                  "bf16-256",
                  {{"nodes=2", "gbs=64", "parallelism.sequence_parallel=true"}},
                  {"cp=1", "mbs=1,2", "vp=1", "tp=1,2", "pp=1,2"},
                  TuneGoal::step_time});
  const TuneResult result = tune(request);
  CHECK(result.best.front().report.step_time_s == least_score(request));
  CHECK(std::any_of(result.steps.begin(), result.steps.end(),
                    [](const KnobStep& step) { return step.knob == Knob::ep; }));
}

TEST_CASE("layouts and dispatchers are searched where they are named, and none is missed") {
  const TuneRequest request = request_of(
      {"mixtral_8x7b_h200",
       "bf16-256",
       {{"nodes=2", "gbs=32",
         "model_overrides={num_layers: 7, layers: [{blocks: [gqa, moe], repeat: 7}]}", "moe={}"}},
       {"cp=1", "mbs=1", "tp=1", "pp=1,2,4", "ep=4,8", "recompute=none", "account=none,layout",
        "dispatch=alltoall,deepep,hybridep"},
       TuneGoal::step_time});
  const PlanSpace space = plan_space(request.sizes.front(), request.limits, 0);
  // Seven layers are on four stages by a layout alone.
  CHECK(std::any_of(space.legal.begin(), space.legal.end(), [](const LegalPlan& plan) {
    return plan.choice[Knob::pp] == 4 &&
           plan.choice[Knob::account] == static_cast<int>(SplitAccount::layout);
  }));
  CHECK(std::none_of(space.legal.begin(), space.legal.end(), [](const LegalPlan& plan) {
    return plan.choice[Knob::pp] == 4 &&
           plan.choice[Knob::account] == static_cast<int>(SplitAccount::none);
  }));
  std::set<int> dispatchers;
  for (const LegalPlan& plan : space.legal) dispatchers.insert(plan.choice[Knob::dispatch]);
  CHECK(dispatchers.size() == 3);
  const TuneResult result = tune(request);
  CHECK(result.best.front().report.step_time_s == least_score(request));
  TuneRequest every = request;
  every.exhaustive = true;
  check_equal(result, tune(every));
}

TEST_CASE("memory by shared totals is that of the plan alone") {
  const TuneRequest request = request_of({"mixtral_8x7b_h200",
                                          "bf16-256",
                                          {{"nodes=2", "gbs=32", "moe={}"}},
                                          {"cp=1", "mbs=1,2", "tp=1,2", "vp=1,2,4", "pp=1,2"}});
  for (const LegalPlan& plan : plan_space(request.sizes.front(), request.limits, 0).legal) {
    Scenario scenario = request.sizes.front();
    apply(plan.choice, scenario);
    double most = 0;
    for (const StageMemory& stage : stage_memory(scenario.recipe, scenario.cluster.gpu,
                                                 rank_grid(scenario.recipe, scenario.gpus())))
      most = std::max(most, stage.total());
    CHECK(plan.memory_bytes == most);
  }
}

TEST_CASE("one thread finds the same with the same work") {
  const TuneRequest request =
      request_of({"llama31_8b_h100", "fp8-16", {{"gbs=32"}}, {"cp=1,2", "mbs=1,2"}});
  const TuneResult many = tune(request);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const TuneResult single = tune(request);
  check_equal(many, single);
  CHECK(many.simulated == single.simulated);
  REQUIRE(many.steps.size() == single.steps.size());
  for (std::size_t i = 0; i < many.steps.size(); ++i)
    CHECK(many.steps[i].changed.report.step_time_s == single.steps[i].changed.report.step_time_s);
}

TEST_CASE("each step changes one knob of the best to a legal neighbour") {
  const TuneRequest request =
      request_of({"llama31_405b_h100", "bf16-64", {{"gbs=32"}}, {"cp=1:4", "mbs=1:4"}});
  const TuneResult result = tune(request);
  const PlanChoice& best = result.best.front().plan.choice;
  CHECK(result.steps.size() >= 5);
  for (const auto& [knob, changed, refusal] : result.steps) {
    CHECK(refusal.empty());
    const PlanChoice& choice = changed.plan.choice;
    for (const auto& [name, other] : EnumNames<Knob>::rows) {
      if (other != knob && other != Knob::dp) CHECK(choice[other] == best[other]);
    }
    CHECK(choice[knob] != best[knob]);
    CHECK(changed.report.fits() == changed.plan.fits);
    if (changed.plan.fits)
      CHECK(changed.report.step_time_s >= result.best.front().report.step_time_s);
  }
}

TEST_CASE("where nothing fits there is no best plan, and the smallest one is known") {
  TuneRequest request =
      request_of({"llama31_405b_h100", "bf16-32", {{"model_overrides.num_layers=126"}}, {}});
  const TuneResult result = tune(request);
  CHECK(result.best.empty());
  CHECK(result.steps.empty());
  CHECK(result.simulated == 0);
  REQUIRE(result.smallest() != nullptr);
  CHECK(result.smallest()->memory_bytes > result.spaces.front().capacity_bytes);
}

TEST_CASE("a margin leaves memory free, and fewer plans") {
  TuneRequest request =
      request_of({"llama31_8b_h100", "bf16-8", {{"gbs=16"}}, {"cp=1,2", "mbs=1,2"}});
  const TuneResult free = tune(request);
  request.memory_margin = 0.4;
  const TuneResult narrow = tune(request);
  CHECK(narrow.fitting() < free.fitting());
  for (const TunedPlan& plan : narrow.best)
    CHECK(plan.plan.memory_bytes <= 0.6 * narrow.spaces.front().capacity_bytes);
  CHECK(narrow.best.front().report.step_time_s >= free.best.front().report.step_time_s);
}

}  // namespace simtrain::testing::tune_test
