#include "sim/study/front/front.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include <fmt/format.h>
#include <simtrain/study.h>

#include "sim/api/access.h"
#include "sim/api/checks.h"
#include "sim/api/errors.h"
#include "sim/api/study/asked_plans.h"
#include "sim/output/tune/front_report.h"
#include "sim/study/front/front_search.h"
#include "sim/study/tasks/run_tasks.h"

namespace simtrain::api {
namespace {

simtrain::Objective objective_of(Objective objective) {
  switch (objective) {
    case Objective::step_time:
      return simtrain::Objective::step_time;
    case Objective::price:
      return simtrain::Objective::price;
    case Objective::memory:
      return simtrain::Objective::memory;
    case Objective::energy:
      break;
  }
  return simtrain::Objective::energy;
}

std::vector<simtrain::Objective> objectives_of(const FrontOptions& options) {
  std::vector<simtrain::Objective> objectives;
  for (const Objective one : options.objectives) {
    const simtrain::Objective objective = objective_of(one);
    if (std::count(objectives.begin(), objectives.end(), objective) > 0)
      throw simtrain::InputError({}, "objectives",
                                 fmt::format("{} is there twice", name_of(objective)));
    if (objective == simtrain::Objective::price && options.usd_per_gpu_hour == 0)
      throw simtrain::InputError({}, "objectives",
                                 "price needs usd_per_gpu_hour, the dollars of a GPU hour");
    objectives.push_back(objective);
  }
  if (objectives.empty()) throw simtrain::InputError({}, "objectives", "names none");
  return objectives;
}

FrontRequest front_request(const Access::ScenarioContent& content, const FrontOptions& options) {
  FrontRequest request;
  request.objectives = objectives_of(options);
  request.usd_per_gpu_hour = checked_price(options.usd_per_gpu_hour);
  request.limits = limits_of(options.limits);
  request.memory_margin = checked_margin(options.memory_margin);
  request.allow_tight = options.allow_tight;
  request.exhaustive = options.exhaustive;
  request.sizes = sizes_of(content, options.gpus);
  return request;
}

Front found_front(const FrontRequest& request, int threads, const Progress& progress) {
  FrontSearch search(request, progress);
  const TaskList tasks = search.tasks();
  const std::atomic<int> stop = 0;
  for (auto wave = search.next(); !wave.empty(); wave = search.next())
    run_tasks(tasks, {wave, threads, &stop, [&](const std::string& record) { search.add(record); },
                      [] {}});
  return std::move(search).finished();
}

FrontPlan plan_of(const Access::ScenarioContent& content, const FrontRequest& request,
                  const Front& front, const simtrain::FrontPlan& found) {
  FrontPlan plan{knobs_of(found.plan.choice), with_plan(content, request.sizes, found.plan.choice)};
  plan.on_front = found.on_front;
  plan.tight = found.plan.tight;
  plan.step_time_s = found.row.step_time_s;
  plan.tokens_per_s = found.row.tokens_per_s;
  plan.mfu = found.row.mfu;
  plan.memory_bytes = found.plan.memory_bytes;
  plan.spare_bytes = front.spare_bytes(found.plan);
  plan.joules_per_token = found.row.joules_per_token;
  plan.usd_per_1t_tokens = found.usd_per_1t_tokens;
  plan.fingerprint = fmt::format("{:016x}", found.row.fingerprint);
  return plan;
}

}  // namespace

FrontResult tune_front(const Scenario& scenario, const FrontOptions& options,
                       const Progress& progress) {
  return guarded([&] {
    const auto& content = Access::of(scenario);
    content.check_row();
    const FrontRequest request = front_request(content, options);
    const Front front = found_front(request, checked_threads(options.threads), progress);
    FrontResult result;
    result.considered = front.considered();
    result.legal = front.legal();
    result.fitting = front.fitting();
    result.simulated = front.simulated;
    result.plans.reserve(front.plans.size());
    for (const simtrain::FrontPlan& found : front.plans)
      result.plans.push_back(plan_of(content, request, front, found));
    const simtrain::Scenario own =
        content.source.draft(Access::of(content.data).folder, content.row, content.settings)
            .scenario;
    result.json = front_json({own.name, "", changes_of(own)}, front);
    return result;
  });
}

}  // namespace simtrain::api
