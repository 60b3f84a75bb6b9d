#include "sim/study/tune/tune.h"

#include <fmt/format.h>
#include <simtrain/study.h>

#include "sim/api/access.h"
#include "sim/api/checks.h"
#include "sim/api/errors.h"
#include "sim/api/result_of.h"
#include "sim/api/study/asked_plans.h"
#include "sim/output/tune/tune_report.h"
#include "sim/run/simulate.h"

namespace simtrain::api {
namespace {

constexpr int kMostPlans = 1000;
constexpr double kTokens = 1e12;

simtrain::TuneGoal goal_of(TuneGoal by) {
  switch (by) {
    case TuneGoal::step_time:
      return simtrain::TuneGoal::step_time;
    case TuneGoal::mfu:
      return simtrain::TuneGoal::mfu;
    case TuneGoal::cost:
      break;
  }
  return simtrain::TuneGoal::cost;
}

TuneRequest request_of(const Access::ScenarioContent& content, const TuneOptions& options) {
  TuneRequest request;
  if (options.top < 1 || options.top > kMostPlans)
    throw simtrain::InputError({}, "top", fmt::format("must be from 1 to {}", kMostPlans));
  request.by = goal_of(options.by);
  request.limits = limits_of(options.limits);
  request.memory_margin = checked_margin(options.memory_margin);
  request.top = static_cast<std::size_t>(options.top);
  request.allow_tight = options.allow_tight;
  request.exhaustive = options.exhaustive;
  request.sizes = sizes_of(content, options.gpus);
  return request;
}

/// With the scenario's own plan beside, or why it has none.
TuneHead head_of(const Access::ScenarioContent& content) {
  const auto& data = Access::of(content.data);
  const simtrain::Scenario scenario =
      content.source.draft(data.folder, content.row, content.settings).scenario;
  TuneHead head{scenario.name, kTokens, {}, {}, "", changes_of(scenario)};
  try {
    head.given = simtrain::simulate(content.scenario(), {false, data.clusters.get(), {}});
  } catch (const simtrain::InputError& refusal) {
    head.given_refusal = refusal.what();
  }
  return head;
}

}  // namespace

TuneResult tune(const Scenario& scenario, const TuneOptions& options, const Progress& progress) {
  return guarded([&] {
    const auto& content = Access::of(scenario);
    content.check_row();
    const TuneRequest request = request_of(content, options);
    const simtrain::TuneResult found = simtrain::tune(request, progress);
    TuneResult result;
    result.considered = found.considered();
    result.legal = found.legal();
    result.fitting = found.fitting();
    result.simulated = found.simulated;
    for (const simtrain::TunedPlan& tuned : found.best)
      result.best.push_back(
          {knobs_of(tuned.plan.choice), with_plan(content, request.sizes, tuned.plan.choice),
           result_of(tuned.report), tuned.plan.memory_bytes, found.spare_bytes(tuned.plan)});
    result.json = tune_json(head_of(content), found);
    return result;
  });
}

}  // namespace simtrain::api
