#include "sim/study/what_if/explain.h"

#include <algorithm>
#include <map>

#include "sim/run/simulate.h"
#include "sim/study/what_if/explain_changes.h"

namespace simtrain {
namespace {

void add(PathStage& stage, const Op& op, double seconds) {
  if (!op.compute) {
    stage.communication_s += seconds;
  } else if (op.label == Label::forward) {
    stage.forward_s += seconds;
  } else if (is_pass(op) || op.label == Label::weight_gradient) {
    stage.backward_s += seconds;
  } else {
    stage.other_s += seconds;
  }
}

/// The first alternative of a ladder that is a legal scenario.
struct LegalStep {
  Scenario scenario;
  const Alternative* alternative;
};

std::optional<LegalStep> legal_step(const ExplainRequest& request, const DataFolder& data,
                                    const Change& change) {
  for (const Alternative& alternative : change.ladder) {
    std::vector<Setting> settings = request.settings;
    for (const std::string& text : alternative.settings) settings.push_back(parse_setting(text));
    try {
      return LegalStep{request.source.scenario(data, request.row, settings), &alternative};
    } catch (const InputError&) {  // NOLINT(bugprone-empty-catch): not legal; the next one may be
    }
  }
  return std::nullopt;
}

std::optional<ChangeResult> result_of(const ExplainRequest& request, const Change& change,
                                      double step_time_s) {
  const DataFolder data = request.data.with(change.numbers);
  const std::optional<LegalStep> step = legal_step(request, data, change);
  if (!step) return std::nullopt;
  const Report report = simulate(step->scenario);
  return ChangeResult{.kind = change.kind,
                      .name = change.name,
                      .from = change.from,
                      .to = step->alternative->to,
                      .step_time_s = report.step_time_s,
                      .relative = report.step_time_s / step_time_s - 1,
                      .mfu = report.mfu,
                      .fits = report.fits(),
                      .settings = step->alternative->settings,
                      .numbers = change.numbers};
}

}  // namespace

PathSummary summarize_path(const Plan& plan, const Timeline& timeline) {
  std::map<int, PathStage> stages;
  PathSummary summary;
  int last = -1;
  for (const PathStep& step : critical_path(plan, timeline)) {
    const SimulatedRank& rank = plan.ranks[step.rank];
    const Span& span = timeline.span(step.rank, step.op);
    PathStage& stage = stages[rank.stage];
    stage.stage = rank.stage;
    add(stage, plan.programs[rank.program].ops[step.op], to_seconds(span.end - span.start));
    if (last >= 0 && last != rank.stage) ++summary.moves;
    last = rank.stage;
  }
  summary.stages.reserve(stages.size());
  for (const auto& [number, stage] : stages) summary.stages.push_back(stage);
  return summary;
}

Explanation explain(const ExplainRequest& request, const SimulatedStep& simulated,
                    const Watch& watch) {
  Explanation explanation;
  explanation.step_time_s = to_seconds(simulated.timeline.end);
  explanation.path = summarize_path(simulated.plan, simulated.timeline);
  std::vector<Change> changes = knob_changes(simulated.scenario);
  const YamlNode keys = request.source.tree(request.row, request.settings);
  const ScenarioHardware hardware = scenario_hardware(request.data, keys, keys.find("hardware"));
  for (Change& change : cost_changes(hardware.data, simulated.scenario))
    changes.push_back(std::move(change));

  std::vector<std::optional<ChangeResult>> results(changes.size());
  parallel_each(
      changes.size(),
      [&](std::size_t i) { results[i] = result_of(request, changes[i], explanation.step_time_s); },
      watch);
  for (std::optional<ChangeResult>& result : results) {
    if (result) {
      explanation.changes.push_back(std::move(*result));
    } else {
      ++explanation.refused;
    }
  }
  std::stable_sort(explanation.changes.begin(), explanation.changes.end(),
                   [](const ChangeResult& a, const ChangeResult& b) {
                     return a.fits != b.fits ? a.fits : a.step_time_s < b.step_time_s;
                   });
  return explanation;
}

}  // namespace simtrain
