#include "sim/job/plan/job_plan.h"

#include <algorithm>
#include <cmath>

namespace simtrain {
namespace {

/// What a checkpoint costs and what is between interruptions, in seconds.
struct SavingCost {
  double save_s;
  double between_s;
};

SavingCost saving_cost(const JobPlan& plan) {
  return {plan.persistent.stall_s() + plan.persistent.slows_s, 1 / plan.returns_per_s()};
}

/// Between possible intervals of persistent checkpoints.
double steps_apart(const JobPlan& plan) { return std::max(1.0, plan.local.interval); }

double whole_steps(const JobPlan& plan, double seconds) {
  return std::max(1.0, std::round(seconds / plan.full_step_s()));
}

}  // namespace

double JobPlan::interruptions_per_s() const {
  double sum = 0;
  for (const FailureKind& kind : failures) {
    if (kind.effect == FailureEffect::stops) sum += kind.rate;
  }
  return sum;
}

double JobPlan::returns_per_s() const {
  double sum = 0;
  for (const FailureKind& kind : failures) {
    if (kind.effect == FailureEffect::stops && !spares_others(kind)) sum += kind.rate;
  }
  return sum;
}

double JobPlan::ideal_s() const { return std::min(horizon_s, goal_steps * fed_step_s()); }

double young_interval_steps(const JobPlan& plan) {
  if (plan.returns_per_s() <= 0) return kNever;
  const auto [save, between] = saving_cost(plan);
  return whole_steps(plan, std::sqrt(2 * save * between));
}

double daly_interval_steps(const JobPlan& plan) {
  if (plan.returns_per_s() <= 0) return kNever;
  const auto [save, between] = saving_cost(plan);
  if (save >= 2 * between) return whole_steps(plan, between);
  const double first = std::sqrt(2 * save * between);
  return whole_steps(
      plan, first * (1 + std::sqrt(save / (2 * between)) / 3 + save / (18 * between)) - save);
}

double possible_interval(const JobPlan& plan, double steps) {
  const double apart = steps_apart(plan);
  return std::max(1.0, std::round(steps / apart)) * apart;
}

double suited_interval(const JobPlan& plan) {
  const double daly = daly_interval_steps(plan);
  if (daly >= kNever) return 0;
  const double possible = possible_interval(plan, daly);
  const double step_s = plan.full_step_s();
  const double apart = steps_apart(plan);
  const double missing = plan.persistent.still_written_s(possible, step_s);
  return possible + std::ceil(missing / step_s / apart) * apart;
}

}  // namespace simtrain
