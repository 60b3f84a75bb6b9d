#include "sim/study/what_if/goodput.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/run/simulate.h"
#include "sim/study/parallel_each.h"
#include "sim/study/what_if/changed_plans.h"

namespace simtrain {
namespace {

std::vector<Report> reports_of(const JobStates& states, const Watch& watch) {
  std::vector<Report> reports(states.states.size());
  ClusterCache clusters;
  parallel_each(
      reports.size(),
      [&](std::size_t i) {
        const StepState& state = states.states[i];
        try {
          reports[i] = simulate(state.scenario, {.clusters = &clusters});
        } catch (const std::invalid_argument& error) {
          throw InputError({}, "job", fmt::format("{}: {}", state.name, error.what()));
        }
      },
      watch);
  return reports;
}

std::vector<ChangedJob> tried(const std::vector<ChangedPlan>& plans, int runs) {
  std::vector<ChangedJob> jobs;
  jobs.reserve(plans.size());
  for (const ChangedPlan& changed : plans)
    jobs.push_back({changed.change, changed.value,
                    summary_of(changed.plan, simulate_jobs(changed.plan, runs)), changed.settings});
  return jobs;
}

template <class Less>
const ChangedJob* least(const std::vector<ChangedJob>& jobs, Less less) {
  const auto found = std::min_element(jobs.begin(), jobs.end(), less);
  return found == jobs.end() ? nullptr : &*found;
}

bool has_more_goodput(const ChangedJob& a, const ChangedJob& b) {
  return a.summary.goodput.mean > b.summary.goodput.mean;
}

}  // namespace

JobBill Goodput::bill(const JobSummary& other) const {
  const PowerSpec& power = inputs.scenario.cluster.gpu.power;
  return job_bill(other, reports.front().energy, power.limit.value.value() * power.idle.value);
}

const ChangedJob* Goodput::best_interval() const { return least(intervals, has_more_goodput); }

const ChangedJob* Goodput::best_spares() const {
  return least(spares, [](const ChangedJob& a, const ChangedJob& b) {
    return a.summary.gpu_hours_per_step() < b.summary.gpu_hours_per_step();
  });
}

std::vector<JobRun> simulate_jobs(const JobPlan& plan, int runs, const Watch& watch) {
  std::vector<JobRun> done(static_cast<std::size_t>(runs));
  parallel_each(
      done.size(),
      [&](std::size_t run) { done[run] = simulate_job(plan, static_cast<std::uint32_t>(run)); },
      watch);
  return done;
}

Goodput goodput(const JobInputs& inputs, const GoodputOptions& options) {
  Goodput result;
  result.inputs = inputs;
  result.checkpoints = job_checkpoints(inputs);
  result.states = job_states(inputs, result.checkpoints);
  result.reports = reports_of(result.states, options.states);
  result.plan = job_plan(inputs, result.checkpoints, result.states, result.reports);
  result.runs = simulate_jobs(result.plan, inputs.spec.runs, options.runs);
  result.summary = summary_of(result.plan, result.runs);
  result.young_steps = young_interval_steps(result.plan);
  result.daly_steps = daly_interval_steps(result.plan);
  if (!options.changes || result.plan.failures.empty()) return result;
  result.tried_runs = std::min(inputs.spec.runs, kTriedRuns);
  result.intervals = tried(plans_by_interval(result.plan), result.tried_runs);
  result.spares = tried(plans_by_spares(result.plan), result.tried_runs);
  result.changes = tried(other_plans(result.plan), result.tried_runs);
  std::stable_sort(result.changes.begin(), result.changes.end(), has_more_goodput);
  return result;
}

}  // namespace simtrain
