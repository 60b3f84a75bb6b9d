#include "sim/output/tune/front_report.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/printable.h"
#include "sim/output/sweep/scale_report.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/text/wrapped_text.h"
#include "sim/output/tune/plan_text.h"

namespace simtrain {
namespace {

std::vector<const FrontPlan*> front_of(const Front& front) {
  std::vector<const FrontPlan*> plans;
  for (const FrontPlan& plan : front.plans) {
    if (plan.on_front) plans.push_back(&plan);
  }
  return plans;
}

/// Energy where it is asked for, and where no price takes its place.
bool shows_energy(const Front& front) {
  const std::vector<Objective>& all = front.objectives;
  return front.usd_per_gpu_hour <= 0 ||
         std::find(all.begin(), all.end(), Objective::energy) != all.end();
}

std::string figure_columns(const Front& front, const FrontPlan& plan) {
  std::string out =
      fmt::format("{:>8.3f} s{:>9}", plan.row.step_time_s, gigabytes(plan.plan.memory_bytes));
  if (shows_energy(front)) out += fmt::format("{:>9}", joules_text(plan.row.joules_per_token));
  if (front.usd_per_gpu_hour > 0) out += fmt::format("{:>11}", usd_text(plan.usd_per_1t_tokens));
  return out;
}

void add_front(std::string& out, const Front& front) {
  const std::vector<const FrontPlan*> plans = front_of(front);
  const bool dispatch = std::any_of(plans.begin(), plans.end(), [](const FrontPlan* plan) {
    return plan->plan.choice.has(Knob::dispatch);
  });
  out += fmt::format("    {}{:>10}{:>9}{}{}\n", head_columns(plans.front()->plan.choice, dispatch),
                     "step time", "memory", shows_energy(front) ? "  J/token" : "",
                     front.usd_per_gpu_hour > 0 ? "  1T tokens" : "");
  bool tight = false;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    out += fmt::format("{:>3}{}{}{}\n", i + 1, plans[i]->plan.tight ? '*' : ' ',
                       plan_columns(plans[i]->plan.choice, dispatch),
                       figure_columns(front, *plans[i]));
    tight = tight || plans[i]->plan.tight;
  }
  if (tight) out += "  *  tight: fits only with less fragmentation of the allocator than usual\n";
}

/// Which of the front has the least of each objective.
void add_least(std::string& out, const Front& front) {
  const std::vector<const FrontPlan*> plans = front_of(front);
  std::vector<std::string> least;
  for (std::size_t i = 0; i < front.objectives.size(); ++i) {
    const auto best = std::min_element(plans.begin(), plans.end(),
                                       [i](const FrontPlan* one, const FrontPlan* other) {
                                         return one->figures[i] < other->figures[i];
                                       });
    least.push_back(fmt::format("{}: {}", name_of(front.objectives[i]), best - plans.begin() + 1));
  }
  out += "\n" + wrapped_line(fmt::format("The least of each: {}", fmt::join(least, ", ")), 0);
}

void add_settled_plans(std::string& out, const Front& front) {
  std::int64_t settled = front.simulated;
  for (const auto& [reason, skipped] : front.skipped) settled += skipped.count;
  const std::int64_t behind = front.plans.front().plan.tight ? 0 : front.tight();
  const bool behind_counts = behind > 0 && !front.allow_tight;
  if (settled < front.fitting() - (behind_counts ? behind : 0))
    out += wrapped_line(
        "the others cannot be on it: some plan has no more of anything than their "
        "lower bounds");
  if (behind_counts)
    out += wrapped_line("tight plans do not count; --allow-tight takes them as others");
}

}  // namespace

std::string front_text(const FrontHead& head, const Front& front) {
  std::string out = wrapped(printable(head.scenario), 0) + "\n" + changes_text(head.changes);
  if (front.plans.empty()) return out + no_plan_text(front);
  std::vector<std::string_view> names;
  for (const Objective objective : front.objectives) names.push_back(name_of(objective));
  const std::int64_t count = front.on_front();
  out += wrapped_line(fmt::format("Front of {} plan{} by {}: none has less of one without more of "
                                  "another",
                                  count, count == 1 ? "" : "s", fmt::join(names, ", ")),
                      0);
  if (front.usd_per_gpu_hour > 0)
    out += fmt::format("price of 1T tokens at $ {:g} per GPU hour\n", front.usd_per_gpu_hour);
  out += "\n";
  add_front(out, front);
  add_least(out, front);
  out += "\n" + counts_text(front);
  add_settled_plans(out, front);
  return out;
}

}  // namespace simtrain
