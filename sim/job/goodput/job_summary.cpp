#include "sim/job/goodput/job_summary.h"

#include <algorithm>
#include <cmath>

#include "sim/core/quantity.h"

namespace simtrain {
namespace {

template <class Figure>
Spread spread_of(const std::vector<JobRun>& runs, Figure figure) {
  std::vector<double> values;
  values.reserve(runs.size());
  double sum = 0;
  for (const JobRun& run : runs) {
    values.push_back(figure(run));
    sum += values.back();
  }
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(std::max(1.0, std::ceil(share * count))) - 1];
  };
  return {sum / count, at(0.05), at(0.1), at(0.5), at(0.9), at(0.95)};
}

}  // namespace

JobSummary summary_of(const JobPlan& plan, const std::vector<JobRun>& runs) {
  JobSummary summary;
  summary.runs = static_cast<int>(runs.size());
  summary.elapsed_s = spread_of(runs, [](const JobRun& run) { return run.elapsed_s; });
  summary.steps = spread_of(runs, [](const JobRun& run) { return run.steps; });
  summary.goodput = spread_of(runs, [](const JobRun& run) { return run.goodput(); });
  summary.effective_time = spread_of(runs, [](const JobRun& run) { return run.effective_time(); });
  summary.interruptions = spread_of(runs, [&](const JobRun& run) {
    double ended = 0;
    for (std::size_t kind = 0; kind < run.failures.size(); ++kind) {
      if (plan.failures[kind].effect == FailureEffect::stops)
        ended += static_cast<double>(run.failures[kind]);
    }
    return ended;
  });
  summary.failures.assign(plan.failures.size(), 0);
  const auto count = static_cast<double>(runs.size());
  for (const JobRun& run : runs) {
    summary.finished += run.finished ? 1 : 0;
    for (const auto& [name, use] : EnumNames<TimeUse>::rows)
      summary.used[use] += run.used[use] / count;
    for (std::size_t kind = 0; kind < run.failures.size(); ++kind)
      summary.failures[kind] += static_cast<double>(run.failures[kind]) / count;
    summary.restarts += static_cast<double>(run.restarts) / count;
    summary.saves += static_cast<double>(run.saves) / count;
    summary.departures += static_cast<double>(run.departures) / count;
  }
  const double hours = summary.elapsed_s.mean / kSecondsPerHour;
  summary.gpu_hours = hours * plan.gpus;
  summary.spare_gpu_hours = hours * plan.gpus / plan.nodes * plan.spares;
  return summary;
}

}  // namespace simtrain
