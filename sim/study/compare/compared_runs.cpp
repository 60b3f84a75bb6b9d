#include "sim/study/compare/compared_runs.h"

#include <map>

#include "sim/run/simulate.h"

namespace simtrain {
namespace {

/// Whether a log is of the job that its scenario describes.
bool usable(const ComparedRun& run) {
  return run.measured.metrics.status != RunStatus::not_a_number &&
         run.measured.facts.contradictions.empty();
}

/// The plans that have usable logs: each counts once, with the mean of its logs.
std::vector<RunToExplain> plans_of(const std::vector<LoggedRun>& logged,
                                   const std::vector<Setting>& settings,
                                   const std::vector<ComparedRun>& runs) {
  std::vector<std::vector<std::size_t>> plans;  // in the order of their first logs
  std::map<std::string, std::size_t> known;     // by what they simulate
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!usable(runs[i])) continue;
    const std::size_t plan =
        known.emplace(runs[i].report.engine.fingerprint, plans.size()).first->second;
    if (plan == plans.size()) plans.emplace_back();
    plans[plan].push_back(i);
  }
  std::vector<RunToExplain> to_explain;
  to_explain.reserve(plans.size());
  for (const std::vector<std::size_t>& members : plans) {
    const LoggedRun& first = logged[members.front()];
    double sum = 0;
    for (const std::size_t member : members) sum += runs[member].comparison.measured_s.mean;
    to_explain.push_back({first.source, first.row, settings,
                          sum / static_cast<double>(members.size()),
                          runs[members.front()].comparison.predicted_s});
  }
  return to_explain;
}

}  // namespace

ComparedRun compared_run(const DataFolder& data, const LoggedRun& logged,
                         const ComparisonRequest& request) {
  const Scenario scenario = logged.source.scenario(data, logged.row, request.settings);
  ComparedRun run;
  run.measured =
      measured_report(logged.log, request.log, {{}, facts_of_scenario(scenario, logged.scenario)});
  const RunMetrics& metrics = run.measured.metrics;
  if (!metrics.step_time_s) throw InputError({logged.log}, "", metrics.why);
  run.report = simulate(scenario, {});
  run.comparison = compare(run.report, scenario.uncertainty, predicted_step(scenario, run.report),
                           run.measured.run);
  return run;
}

ComparedCauses compared_causes(const DataFolder& data, const std::vector<LoggedRun>& logged,
                               const ComparisonRequest& request,
                               const std::vector<ComparedRun>& runs, const Watch& stacks,
                               const Watch& numbers) {
  const std::vector<RunToExplain> plans = plans_of(logged, request.settings, runs);
  ComparedCauses causes;
  if (plans.empty()) return causes;
  causes.stacks = other_stacks(data, plans, stacks);
  if (plans.size() > 1) causes.numbers = common_causes(data, plans, numbers);
  return causes;
}

}  // namespace simtrain
