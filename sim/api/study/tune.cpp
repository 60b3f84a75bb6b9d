#include "sim/study/tune/tune.h"

#include <fmt/format.h>
#include <simtrain/study.h>

#include "sim/api/access.h"
#include "sim/api/errors.h"
#include "sim/api/result_of.h"
#include "sim/output/tune/tune_report.h"
#include "sim/run/simulate.h"
#include "sim/study/what_if/scale.h"

namespace simtrain::api {
namespace {

using Content = Access::ScenarioContent;

constexpr int kMostPlans = 1000;
constexpr double kTokens = 1e12;

simtrain::Scenario size_of(const Content& content, const std::vector<Setting>& settings) {
  const DraftScenario draft =
      content.source.draft(Access::of(content.data).folder, content.row, settings);
  check_cluster(draft.scenario, draft.trees);
  return draft.scenario;
}

std::vector<simtrain::Scenario> sizes_of(const Content& content, const std::vector<int>& gpus) {
  std::vector<simtrain::Scenario> sizes;
  if (gpus.empty()) return {size_of(content, content.settings)};
  const simtrain::Scenario own =
      content.source.draft(Access::of(content.data).folder, content.row, content.settings).scenario;
  sizes.reserve(gpus.size());
  for (const int number : gpus)
    sizes.push_back(
        size_of(content, on_gpus(content.settings, number, own.cluster.node.gpus, "gpus")));
  return sizes;
}

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

TuneRequest request_of(const Content& content, const TuneOptions& options) {
  TuneRequest request;
  if (options.top < 1 || options.top > kMostPlans)
    throw simtrain::InputError({}, "top", fmt::format("must be from 1 to {}", kMostPlans));
  if (!(options.memory_margin >= 0 && options.memory_margin < 1))
    throw simtrain::InputError({}, "memory_margin", "must be from 0 to below 1");
  request.by = goal_of(options.by);
  for (const std::string& limit : options.limits) request.limits.add(limit);
  request.memory_margin = options.memory_margin;
  request.top = static_cast<std::size_t>(options.top);
  request.allow_tight = options.allow_tight;
  request.exhaustive = options.exhaustive;
  request.sizes = sizes_of(content, options.gpus);
  return request;
}

std::vector<std::pair<std::string, std::string>> knobs_of(const PlanChoice& choice) {
  std::vector<std::pair<std::string, std::string>> knobs{{"gpus", std::to_string(choice.gpus)}};
  for (const auto& [name, knob] : EnumNames<Knob>::rows) {
    if (choice.has(knob)) knobs.emplace_back(name, value_text(knob, choice[knob]));
  }
  return knobs;
}

Scenario with_plan(const Content& content, const TuneRequest& request, const PlanChoice& choice) {
  std::size_t size = 0;
  while (request.sizes[size].gpus() != choice.gpus) ++size;
  Content changed = content;
  for (Setting& setting : settings_of(choice, request.sizes[size]))
    changed.settings.push_back(std::move(setting));
  return Access::made(std::move(changed));
}

/// With the scenario's own plan beside, or why it has none.
TuneHead head_of(const Content& content) {
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
          {knobs_of(tuned.plan.choice), with_plan(content, request, tuned.plan.choice),
           result_of(tuned.report), tuned.plan.memory_bytes, found.spare_bytes(tuned.plan)});
    result.json = tune_json(head_of(content), found);
    return result;
  });
}

}  // namespace simtrain::api
