#pragma once

#include <utility>

#include "sim/job/plan/job_plan.h"

namespace simtrain::testing {

/// A job of 100 nodes with steps of 10 s that saves every 100 steps in 20 s, and what else takes
/// time at restarts set to numbers that are easily told apart.
inline JobPlan small_job(double steps) {
  JobPlan plan;
  plan.goal_steps = steps;
  plan.gpus = 800;
  plan.nodes = 100;
  plan.step_s = 10;
  plan.tokens_per_step = 1e6;
  plan.smaller = {{10, 1}};
  plan.persistent.interval = 100;
  plan.persistent.copy_s = 5;
  plan.persistent.write_s = 15;
  plan.persistent.load_s = 40;
  plan.scheduler_s = 60;
  plan.launch_s = 120;
  plan.groups_s = 3;
  plan.first_step_s = 80;
  return plan;
}

inline FailureKind failure(FailureEffect effect, double mean_s, double nodes = 0) {
  FailureKind kind;
  kind.component = "part";
  kind.effect = effect;
  kind.rate = 1 / mean_s;
  kind.nodes = nodes;
  if (nodes > 0) kind.takes = FailureReach::node;
  kind.detection_s = 300;
  kind.repair_s = nodes > 0 ? 3600 : 0;
  return kind;
}

inline JobPlan with(JobPlan plan, FailureKind kind) {
  plan.failures.push_back(std::move(kind));
  return plan;
}

}  // namespace simtrain::testing
