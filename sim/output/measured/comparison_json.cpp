#include "sim/output/measured/comparison_report.h"
#include "sim/output/text/changes.h"
#include "sim/output/text/json_parts.h"

namespace simtrain {
namespace {

using nlohmann::ordered_json;

ordered_json comparison_of(const ComparedRun& run) {
  const auto& [measured, report, comparison] = run;
  auto explanations = ordered_json::array();
  for (const GapExplanation& e : comparison.explanations) {
    explanations.push_back({{"share", name_of(e.share)},
                            {"predicted_s", e.predicted_s},
                            {"needed_s", e.needed_s},
                            {"standard_error_s", e.error_s},
                            {"most_s", e.most_s ? ordered_json(*e.most_s) : ordered_json(nullptr)},
                            {"standard_errors", e.deviations},
                            {"verdict", name_of(e.plausibility)}});
  }
  auto steps = ordered_json::array();
  for (const MeasuredStep& step : measured.run.steps)
    steps.push_back({{"step", step.number},
                     {"step_time_s", step.seconds},
                     {"gap_s", step.seconds - comparison.predicted_s},
                     {"error", comparison.predicted_s / step.seconds - 1}});
  const auto& peak = measured.run.facts.peak_memory_bytes;
  return {{"scenario", report.scenario},
          {"log", measured.run.path},
          {"status", name_of(measured.metrics.status)},
          {"window", window_text(measured.run)},
          {"predicted_s", comparison.predicted_s},
          {"interval_90_s", {comparison.interval.low, comparison.interval.high}},
          {"measured_s",
           {{"mean", comparison.measured_s.mean},
            {"std", comparison.measured_s.std ? ordered_json(*comparison.measured_s.std)
                                              : ordered_json(nullptr)},
            {"min", comparison.measured_s.min},
            {"max", comparison.measured_s.max},
            {"median", comparison.median_s}}},
          {"gap_s", comparison.gap_s},
          {"error", comparison.error()},
          {"inside", comparison.inside()},
          {"explanations", std::move(explanations)},
          {"peak_memory_bytes", peak ? ordered_json(*peak) : ordered_json(nullptr)},
          {"predicted_peak_memory_bytes", report.peak_bytes()},
          {"contradictions", measured.facts.contradictions},
          {"skipped_lines", measured.run.skipped.count},
          {"steps", std::move(steps)}};
}

ordered_json causes_json(const CommonCauses& causes) {
  auto list = ordered_json::array();
  for (const CommonCause& cause : causes.causes) {
    list.push_back({{"file", cause.file},
                    {"key", cause.key},
                    {"unit", cause.unit},
                    {"source", cause.source},
                    {"value", cause.value},
                    {"needed", cause.needed},
                    {"at_end", cause.at_end},
                    {"predicted_s", cause.predicted_s},
                    {"gap_rms", share_of(cause.left)},
                    {"explains_all", cause.explains}});
  }
  return {{"gap_rms", share_of(causes.before)},
          {"run_to_run", share_of(causes.noise)},
          {"needed", causes.needed},
          {"tried", causes.tried},
          {"without_effect", causes.without_effect},
          {"numbers", std::move(list)}};
}

ordered_json stacks_json(const std::optional<OtherStacks>& stacks) {
  if (!stacks || !stacks->needed) return nullptr;
  auto list = ordered_json::array();
  for (const OtherStack& stack : stacks->stacks) {
    if (!stack.refusal.empty()) {
      list.push_back({{"software", stack.name}, {"refused", stack.refusal}});
      continue;
    }
    list.push_back({{"software", stack.name},
                    {"predicted_s", stack.predicted_s},
                    {"error", stack.errors},
                    {"error_rms", share_of(stack.left)},
                    {"explains_all", stack.explains}});
  }
  return {{"error_rms", share_of(stacks->before)},
          {"run_to_run", share_of(stacks->noise)},
          {"stacks", std::move(list)}};
}

}  // namespace

std::string comparison_json(const ComparedRun& run, const ComparedCauses& causes) {
  ordered_json json{{"schema", "simtrain.comparison/1"}};
  json.update(comparison_of(run));
  json["other_software"] = stacks_json(causes.stacks);
  add_changes(json, changes_of(run.report));
  return json_text(json);
}

std::string comparisons_json(const std::vector<ComparedRun>& runs, const ComparedCauses& causes) {
  auto list = ordered_json::array();
  for (const ComparedRun& run : runs) {
    list.push_back(comparison_of(run));
    add_changes(list.back(), changes_of(run.report));
  }
  return json_text(
      {{"schema", "simtrain.comparisons/1"},
       {"runs", std::move(list)},
       {"common_causes", causes.numbers ? causes_json(*causes.numbers) : ordered_json(nullptr)},
       {"other_software", stacks_json(causes.stacks)}});
}

}  // namespace simtrain
