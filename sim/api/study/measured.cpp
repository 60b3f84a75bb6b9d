#include <simtrain/measured.h>

#include "sim/api/access.h"
#include "sim/api/errors.h"
#include "sim/measured/measured_report.h"
#include "sim/output/measured/comparison_report.h"
#include "sim/output/measured/metrics_report.h"
#include "sim/study/compare/compared_runs.h"

namespace simtrain::api {
namespace {

LogRequest request_of(const LogOptions& options) {
  LogRequest request;
  if (!options.steps.empty()) request.window = parse_window(options.steps, "steps");
  request.format = options.format;
  return request;
}

StepFigure figure_of(const Statistics& figure) {
  return {figure.mean, figure.std, figure.min, figure.max};
}

std::optional<StepFigure> figure_of(const std::optional<Statistics>& figure) {
  if (!figure) return std::nullopt;
  return figure_of(*figure);
}

LogMetrics log_metrics(const MeasuredReport& report) {
  const RunMetrics& found = report.metrics;
  LogMetrics log;
  log.name = report.name;
  log.path = report.run.path;
  log.format = report.run.format;
  log.status = std::string(name_of(found.status));
  log.why = found.why;
  log.window = window_text(report.run);
  log.step_time_s = figure_of(found.step_time_s);
  log.logged_tflops_per_gpu = figure_of(found.logged_tflops);
  log.tokens_per_s = found.tokens_per_s;
  log.tokens_per_s_per_gpu = found.tokens_per_s_per_gpu;
  log.tflops_per_gpu = found.tflops_per_gpu;
  log.mfu = found.mfu;
  log.days_per_1t_tokens = found.days_per_1t_tokens;
  log.peak_memory_bytes = report.run.facts.peak_memory_bytes;
  log.steps.reserve(report.run.steps.size());
  for (const MeasuredStep& step : report.run.steps)
    log.steps.push_back({step.number, step.seconds});
  return log;
}

RunFacts facts_of(const Scenario& scenario) {
  const auto& content = Access::of(scenario);
  const std::string origin = content.row.empty() ? content.file : content.file + ", " + content.row;
  return facts_of_scenario(content.scenario(), origin);
}

void add_explanations(Comparison& result, const simtrain::Comparison& found) {
  result.explanations.reserve(found.explanations.size());
  for (const simtrain::GapExplanation& one : found.explanations)
    result.explanations.push_back({std::string(name_of(one.share)), one.predicted_s, one.needed_s,
                                   one.deviations, std::string(name_of(one.plausibility))});
}

void add_stacks(Comparison& result, const OtherStacks& stacks) {
  result.stacks.reserve(stacks.stacks.size());
  for (const OtherStack& stack : stacks.stacks) {
    StackExplanation one{stack.name, stack.refusal, {}, {}, stack.explains};
    if (stack.refusal.empty()) {
      one.predicted_s = stack.predicted_s.front();
      one.error = stack.errors.front();
    }
    result.stacks.push_back(std::move(one));
  }
}

Comparison comparison_of(const ComparedRun& run, const ComparedCauses& causes) {
  const simtrain::Comparison& found = run.comparison;
  Comparison result;
  result.scenario = run.report.scenario;
  result.log = run.measured.run.path;
  result.status = std::string(name_of(run.measured.metrics.status));
  result.window = window_text(run.measured.run);
  result.predicted_s = found.predicted_s;
  result.interval_90_s = {found.interval.low, found.interval.high};
  result.measured_s = figure_of(found.measured_s);
  result.median_s = found.median_s;
  result.error = found.error();
  result.inside = found.inside();
  result.predicted_peak_memory_bytes = run.report.peak_bytes();
  result.peak_memory_bytes = run.measured.run.facts.peak_memory_bytes;
  result.caveats = caveats_of(run);
  add_explanations(result, found);
  if (causes.stacks) add_stacks(result, *causes.stacks);
  result.text = comparison_text(run, causes);
  result.json = comparison_json(run, causes);
  return result;
}

}  // namespace

Metrics metrics(const std::vector<std::string>& paths, const std::optional<Scenario>& scenario,
                const LogOptions& options, const Progress& progress) {
  return guarded([&] {
    if (paths.empty()) throw simtrain::InputError({}, "paths", "is empty; name a log");
    KnownFacts known;
    if (scenario) known.rest = facts_of(*scenario);
    const std::vector<MeasuredReport> reports =
        measured_reports(paths, request_of(options), known, progress);
    Metrics result;
    result.runs.reserve(reports.size());
    for (const MeasuredReport& report : reports) result.runs.push_back(log_metrics(report));
    result.text =
        reports.size() == 1 ? metrics_text(reports.front()) : metrics_table(reports, false);
    result.json = metrics_json(reports);
    return result;
  });
}

Comparison compare(const Scenario& scenario, const std::string& log, const LogOptions& options,
                   const Progress& progress) {
  return guarded([&] {
    const auto& content = Access::of(scenario);
    content.check_row();
    const simtrain::DataFolder& data = Access::of(content.data).folder;
    const LoggedRun logged{content.source, content.file, log, content.row};
    const ComparisonRequest request{content.settings, request_of(options)};
    const ComparedRun run = compared_run(data, logged, request);
    return comparison_of(run, compared_causes(data, {logged}, request, {run}, progress));
  });
}

}  // namespace simtrain::api
