#include "sim/output/measured/comparison_html.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/output/html/html.h"
#include "sim/output/measured/comparison_report.h"
#include "sim/output/measured/step_chart.h"
#include "sim/output/text/changes.h"
#include "sim/output/text/unit_text.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

std::string percent(double value) { return fmt::format("{:.2f}", value); }
std::string signed_percent(double fraction) { return fmt::format("{:+.2f} %", fraction * 100); }

/// The figures of a comparison, for tiles and rows.
Json figures(const ComparedRun& run) {
  const Comparison& c = run.comparison;
  return {{"name", printable(run.measured.name)},
          {"gpus", run.report.gpus},
          {"predicted", seconds_text(c.predicted_s)},
          {"low", seconds_text(c.interval.low)},
          {"high", seconds_text(c.interval.high)},
          {"measured", seconds_text(c.measured_s.mean)},
          {"steps", run.measured.run.steps.size()},
          {"error", signed_percent(c.error())},
          {"inside", c.inside()},
          {"caveats", caveats_of(run)}};
}

Json cause_rows(const CommonCauses& causes) {
  if (causes.causes.empty()) return nullptr;
  Json rows = Json::array();
  for (const CommonCause& cause : causes.causes)
    rows.push_back({{"name", name_of_cause(cause)},
                    {"change", change_of_cause(cause)},
                    {"at_end", cause.at_end},
                    {"left", percent(share_of(cause.left) * 100)},
                    {"explains", cause.explains},
                    {"source", cause.source}});
  return {{"rows", std::move(rows)}};
}

Json causes_section(const std::optional<CommonCauses>& causes) {
  if (!causes) return nullptr;
  return {{"needed", causes->needed},
          {"noise", percent(share_of(causes->noise) * 100)},
          {"tried", causes->tried},
          {"without_effect", causes->without_effect},
          {"before", percent(share_of(causes->before) * 100)},
          {"numbers", cause_rows(*causes)}};
}

/// What several runs show together.
Json several_section(const std::vector<ComparedRun>& runs, const ComparedCauses& causes) {
  const ComparedErrors all = summarize_errors(runs);
  Json rows = Json::array();
  for (const ComparedRun& run : runs) rows.push_back(figures(run));
  return {{"runs", runs.size()},
          {"mean_absolute", percent(all.mean_absolute * 100)},
          {"bias", signed_percent(all.mean)},
          {"inside_count", all.inside},
          {"rows", std::move(rows)},
          {"causes", causes_section(causes.numbers)}};
}

Json stacks_section(const std::optional<OtherStacks>& stacks) {
  if (!stacks || !stacks->needed) return nullptr;
  return {{"sentences", stack_sentences(*stacks)}};
}

Json explanation_rows(const ComparedRun& run) {
  Json rows = Json::array();
  for (const GapExplanation& e : run.comparison.explanations)
    rows.push_back({{"share", in_words(name_of(e.share))},
                    {"predicted", seconds_text(e.predicted_s)},
                    {"needed", seconds_text(e.needed_s)},
                    {"factor", fmt::format("{:.4g}", e.needed_s / e.predicted_s)},
                    {"deviations", fmt::format("{:.3g}", e.deviations)},
                    {"verdict", in_words(name_of(e.plausibility))}});
  return rows;
}

Json run_section(const ComparedRun& run, std::size_t number) {
  const MeasuredRun& measured = run.measured.run;
  return {{"name", printable(run.measured.name)},
          {"against", fmt::format("{} against {}, {}", run.report.scenario,
                                  printable(measured.path), window_text(measured))},
          {"gpus", run.report.gpus},
          {"layout", run.report.layout},
          {"changes", changes_page(changes_of(run.report))},
          {"caveats", caveats_of(run)},
          {"chart", measured.steps.empty() ? "" : fmt::format("steps-{}", number)},
          {"explanations", explanation_rows(run)},
          {"skipped", skipped_text(measured)}};
}

}  // namespace

std::string comparison_html(const std::vector<ComparedRun>& runs, const ComparedCauses& causes) {
  const std::size_t shown = std::min(runs.size(), kMostRunSections);
  Json sections = Json::array();
  Json charts = Json::array();
  for (std::size_t i = 0; i < shown; ++i) {
    sections.push_back(run_section(runs[i], i));
    charts.push_back(step_chart(runs[i].measured.run.steps, runs[i].comparison));
  }
  const bool several = runs.size() > 1;
  const Json content{{"title", "simtrain comparison"},
                     {"one", runs.size() == 1 ? figures(runs.front()) : nullptr},
                     {"several", several ? several_section(runs, causes) : nullptr},
                     {"stacks", stacks_section(causes.stacks)},
                     {"sections", std::move(sections)},
                     {"shortened", runs.size() > shown ? Json(shown) : nullptr}};
  return html_chart_page(
      "comparison", content, {{"steps", std::move(charts)}},
      PageResult(several ? comparisons_json(runs, causes) : comparison_json(runs.front(), causes)),
      {"step_charts.js"});
}

}  // namespace simtrain
