#include "sim/study/what_if/changed_plans.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace simtrain {
namespace {

/// Nodes under repair in the mean.
double nodes_out(const JobPlan& plan) {
  double nodes = 0;
  for (const FailureKind& kind : plan.failures) nodes += kind.rate * kind.nodes * kind.repair_s;
  return nodes;
}

/// Adds a plan that `change` makes, unless it has nothing to change.
class PlanChanges {
 public:
  explicit PlanChanges(const JobPlan& plan) : plan_(plan) {}

  void halve(const std::string& name, double JobPlan::*stage) {
    if (plan_.*stage <= 0) return;
    JobPlan plan = plan_;
    plan.*stage /= 2;
    plans.push_back({fmt::format("{} in half the time", name), 0, plan});
  }
  template <class Change>
  void with(const std::string& name, Change change) {
    JobPlan plan = plan_;
    if (change(plan)) plans.push_back({name, 0, plan});
  }

  std::vector<ChangedPlan> plans;

 private:
  const JobPlan& plan_;
};

bool halve_detection(JobPlan& plan) {
  for (FailureKind& kind : plan.failures) kind.detection_s /= 2;
  if (plan.replicas) plan.replicas->notice_s /= 2;
  return true;
}

bool halve_going_on(JobPlan& plan) {
  if (!plan.replicas) return false;
  plan.replicas->leave_s /= 2;
  plan.replicas->join_s /= 2;
  return plan.replicas->leave_s + plan.replicas->join_s > 0;
}

std::string interval_setting(const JobPlan& plan) {
  return fmt::format("job.checkpoint.save_interval={:.0f}", plan.persistent.interval);
}

/// With asynchronous saves, at the interval that suits them.
ChangedPlan saved_beside_training(const JobPlan& plan) {
  ChangedPlan changed{"async_save true", 0, plan, {"job.checkpoint.async_save=true"}};
  changed.plan.persistent.async = true;
  if (const double best = suited_interval(changed.plan); best > 0)
    changed.plan.persistent.interval = best;
  changed.settings.push_back(interval_setting(changed.plan));
  return changed;
}

}  // namespace

std::vector<ChangedPlan> plans_by_interval(const JobPlan& plan) {
  std::vector<ChangedPlan> plans;
  const double best = suited_interval(plan);
  if (best <= 0) return plans;
  for (int half = -6; half <= 6; ++half) {
    ChangedPlan changed{"", possible_interval(plan, best * std::exp2(half / 2.0)), plan};
    changed.change = fmt::format("save_interval {:.0f}", changed.value);
    changed.plan.persistent.interval = changed.value;
    changed.settings = {interval_setting(changed.plan)};
    if (plans.empty() || plans.back().value < changed.value) plans.push_back(changed);
  }
  return plans;
}

std::vector<ChangedPlan> plans_by_spares(const JobPlan& plan) {
  std::vector<ChangedPlan> plans;
  const double out = nodes_out(plan);
  if (out <= 0) return plans;
  const double most = std::min(4 * out + 8, static_cast<double>(plan.nodes));
  for (int spares = 0; spares <= most; spares = std::max(1, 2 * spares)) {
    ChangedPlan changed{fmt::format("spare_nodes {}", spares),
                        static_cast<double>(spares),
                        plan,
                        {fmt::format("job.spare_nodes={}", spares)}};
    changed.plan.spares = spares;
    plans.push_back(changed);
  }
  return plans;
}

std::vector<ChangedPlan> other_plans(const JobPlan& plan) {
  PlanChanges changes(plan);
  if (!plan.persistent.async) changes.plans.push_back(saved_beside_training(plan));
  changes.with("data that are there when a step begins", [](JobPlan& changed) {
    const bool waits = changed.data.wait_s(changed.step_s, 1) > 0;
    changed.data = {};
    return waits;
  });
  changes.with("detection in half the time", halve_detection);
  changes.with("leaving and joining of replicas in half the time", halve_going_on);
  changes.halve("scheduling", &JobPlan::scheduler_s);
  changes.halve("launch", &JobPlan::launch_s);
  changes.halve("making of communicators", &JobPlan::groups_s);
  changes.halve("first step", &JobPlan::first_step_s);
  changes.halve("work by hand", &JobPlan::manual_s);
  changes.with("loading in half the time", [](JobPlan& changed) {
    changed.persistent.load_s /= 2;
    return changed.persistent.load_s > 0;
  });
  for (std::size_t kind = 0; kind < plan.failures.size(); ++kind) {
    changes.with(fmt::format("half the failures of {}", plan.failures[kind].component),
                 [&](JobPlan& changed) {
                   changed.failures[kind].rate /= 2;
                   return changed.failures[kind].rate > 0;
                 });
  }
  return std::move(changes.plans);
}

}  // namespace simtrain
