#include "sim/study/what_if/goodput.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/core/threads/parallel_each.h"
#include "sim/study/what_if/goodput_study.h"

namespace simtrain {
namespace {

template <class Less>
const ChangedJob* least(const std::vector<ChangedJob>& jobs, Less less) {
  const auto found = std::min_element(jobs.begin(), jobs.end(), less);
  return found == jobs.end() ? nullptr : &*found;
}

double idle_gpu_w(const JobInputs& inputs) {
  const PowerSpec& power = inputs.scenario.cluster.gpu.power;
  return power.limit.value.value() * power.idle.value;
}

}  // namespace

bool has_more_goodput(const ChangedJob& a, const ChangedJob& b) {
  return a.summary.goodput.mean > b.summary.goodput.mean;
}

std::optional<Interval> Goodput::elapsed_interval() const {
  if (plan.goal_steps == kNever) return std::nullopt;
  const Interval step = reports.front().step_time_interval();
  double in_steps = 0;
  for (const TimeUse use :
       {TimeUse::training, TimeUse::evaluation, TimeUse::slowed, TimeUse::lost_work})
    in_steps += summary.used[use];
  const Spread& failures = summary.elapsed_s;
  const double faster = in_steps * (1 - step.low / plan.step_s);
  const double slower = in_steps * (step.high / plan.step_s - 1);
  return Interval{failures.mean - std::hypot(failures.mean - failures.p5, faster),
                  failures.mean + std::hypot(failures.p95 - failures.mean, slower)};
}

JobBill Goodput::bill(const JobSummary& other) const {
  return job_bill(other, reports.front().energy, idle_gpu_w(inputs));
}

PowerOfRun Goodput::power() const {
  return power_of_run(plan, 0, runs.front().elapsed_s,
                      power_levels(reports.front().energy, idle_gpu_w(inputs)));
}

const ChangedJob* Goodput::best_interval() const { return least(intervals, has_more_goodput); }

const ChangedJob* Goodput::best_spares() const {
  return least(spares, [](const ChangedJob& a, const ChangedJob& b) {
    return a.summary.gpu_hours_per_step() < b.summary.gpu_hours_per_step();
  });
}

Goodput goodput(const JobInputs& inputs, const GoodputOptions& options) {
  GoodputStudy study(inputs, options);
  std::vector<JobRun> runs(study.size());
  parallel_each(
      runs.size(), [&](std::size_t number) { runs[number] = study.run(number); }, options.runs);
  return std::move(study).finished(std::move(runs));
}

}  // namespace simtrain
