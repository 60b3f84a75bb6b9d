#pragma once

#include <string>
#include <vector>

#include "sim/job/plan/job_plan.h"

namespace simtrain {

/// A plan of a job with one thing changed.
struct ChangedPlan {
  std::string change;
  double value = 0;
  JobPlan plan;
  std::vector<std::string>
      settings{};  ///< that change it, as `--set` takes them; none: no key does
};

/// Intervals between checkpoints around the one that Daly's formula gives, each the square root of
/// two from the next, from an eighth to eight times it. Empty where nothing interrupts the job.
std::vector<ChangedPlan> plans_by_interval(const JobPlan& plan);

/// 0, 1, 2, 4, ... spares, as many as fail at once at most. Empty where no failure takes nodes.
std::vector<ChangedPlan> plans_by_spares(const JobPlan& plan);

/// What else operators change: asynchronous saving, each stage of a restart in half its time, the
/// failures of each kind of component halved. Only what the plan has is changed.
std::vector<ChangedPlan> other_plans(const JobPlan& plan);

}  // namespace simtrain
