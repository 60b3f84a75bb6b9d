// Bounds and searches over pipeline schedules.
#include <random>

#include <doctest/doctest.h>

#include "sim/run/simulate.h"
#include "sim/study/tune/lower_bound.h"
#include "sim/study/tune/plan_space.h"
#include "sim/workload/schedule/schedule.h"
#include "tests/study/plan_search.h"

namespace simtrain::testing::schedule_search_test {

namespace {

/// Llama 3.1 8B on two nodes with sixteen micro-batches of one GPU, as all schedules take it.
Scenario base(const std::vector<std::string>& further = {}) {
  std::vector<std::string> settings{
      "gbs=16", "training.seq_length=4096", "overlap.tp_comm_overlap=false",
      "overlap.overlap_p2p_comm=true", "overlap.defer_embedding_wgrad_compute=false"};
  settings.insert(settings.end(), further.begin(), further.end());
  return draft("llama31_8b_h100", "bf16-16", settings);
}

std::vector<LegalPlan> plans_of(const Scenario& scenario, PipelineSchedule schedule) {
  return plan_space(scenario,
                    limits({"schedule=" + std::string(name_of(schedule)), "cp=1", "tp=1,2",
                            "pp=2,4,8", "vp=1,2", "mbs=1,2"}),
                    0)
      .legal;
}

}  // namespace

TEST_CASE("no schedule is simulated faster than its bounds") {
  std::mt19937 random(27);
  for (const ScheduleRow& row : schedule_rows()) {
    CAPTURE(name_of(row.kind));
    for (const std::vector<std::string>& further :
         {std::vector<std::string>{},
          {"precision=fp8", "recompute=full"},
          {"overlap.overlap_grad_reduce=false", "overlap.overlap_param_gather=false"},
          {"cluster.faults.gpus=[{host: 0, gpu: 0, slowdown: 1.5}]"}}) {
      const Scenario asked = base(further);
      const std::vector<LegalPlan> plans = plans_of(asked, row.kind);
      REQUIRE(!plans.empty());
      const StepTimeBound bound(asked);
      for (int i = 0; i < 4; ++i) {
        const PlanChoice& choice = plans[random() % plans.size()].choice;
        CAPTURE(text_of(choice));
        Scenario scenario = asked;
        apply(choice, scenario);
        const Recipe& recipe = scenario.recipe;
        const double alone = bound.seconds(recipe, bound.alone_costs(recipe), false);
        const PassCosts costs = bound.pass_costs(recipe);
        const double passes = bound.seconds(recipe, costs, false);
        const double all = bound.seconds(recipe, costs, true);
        CHECK(alone <= passes);
        CHECK(passes <= all);
        CHECK(all <= simulate(scenario).step_time_s);
        CHECK(all >= 0.4 * simulate(scenario).step_time_s);
      }
    }
  }
}

TEST_CASE("schedules are searched where a limit names them, and the best one is found") {
  TuneRequest request;
  request.sizes = {base({"gbs=32"})};
  request.limits = limits({"schedule=1f1b,interleaved,zb_h1,zb_v,v_half,dualpipe_v,dualpipe",
                           "cp=1", "tp=2,4", "pp=2,4", "vp=1,2", "mbs=1", "recompute=none"});
  const TuneResult found = tune(request);
  REQUIRE(!found.best.empty());
  request.exhaustive = true;
  const TuneResult all = tune(request);
  REQUIRE(found.best.size() == all.best.size());
  for (std::size_t i = 0; i < all.best.size(); ++i) {
    CHECK(found.best[i].plan.choice == all.best[i].plan.choice);
    CHECK(found.best[i].report.engine.fingerprint == all.best[i].report.engine.fingerprint);
    CHECK(all.best[i].plan.choice.has(Knob::schedule));
  }
  CHECK(all.simulated == all.fitting());
}

TEST_CASE("without a limit the schedule is the scenario's own") {
  const Scenario asked = base({"parallelism.pipeline_schedule=gpipe"});
  const PlanSpace space = plan_space(asked, limits({"cp=1", "tp=2", "pp=4", "mbs=1"}), 0);
  REQUIRE(!space.legal.empty());
  for (const LegalPlan& plan : space.legal) {
    CHECK_FALSE(plan.choice.has(Knob::schedule));
    Scenario scenario = asked;
    apply(plan.choice, scenario);
    CHECK(scenario.recipe.parallelism.pipeline_schedule == PipelineSchedule::gpipe);
    CHECK(text_of(plan.choice).find("schedule") == std::string::npos);
  }
  CHECK(space.refused.contains("parallelism.pipeline_schedule"));
}

TEST_CASE("a plan with a schedule is written as it is read") {
  const Scenario asked = base();
  const LegalPlan plan = plans_of(asked, PipelineSchedule::zero_bubble_v).front();
  CHECK(text_of(plan.choice).find(", schedule zb_v") != std::string::npos);
  CHECK(value_text(Knob::schedule, plan.choice[Knob::schedule]) == "zb_v");
  const std::vector<Setting> settings = settings_of(plan.choice, asked);
  CHECK(settings.back().key == "parallelism.pipeline_schedule");
  CHECK(settings.back().value.text == "zb_v");
}

}  // namespace simtrain::testing::schedule_search_test
