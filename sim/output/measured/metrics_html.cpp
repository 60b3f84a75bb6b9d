#include "sim/output/measured/metrics_html.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/output/html/html.h"
#include "sim/output/measured/metrics_report.h"
#include "sim/output/measured/step_chart.h"
#include "sim/output/text/unit_text.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

/// Empty where there is no such figure.
template <class Text>
std::string cell(const std::optional<double>& value, const Text& text) {
  return value ? std::string(text(*value)) : std::string();
}

std::string two_digits(double value) { return fmt::format("{:.2f}", value); }

/// The figures of a run, for tiles and rows.
Json figures(const MeasuredReport& report) {
  const RunMetrics& found = report.metrics;
  return {{"name", printable(report.name)},
          {"status", name_of(found.status)},
          {"why", printable(found.why)},
          {"steps", report.run.steps.size()},
          {"step", cell(mean_of(found.step_time_s), seconds_text)},
          {"std", cell(deviation_of(found.step_time_s), seconds_text)},
          {"logged", cell(mean_of(found.logged_tflops), two_digits)},
          {"tflops", cell(found.tflops_per_gpu, two_digits)},
          {"tokens", cell(found.tokens_per_s, grouped)},
          {"tokens_gpu", cell(found.tokens_per_s_per_gpu, grouped)},
          {"mfu", cell(found.mfu, percent_text)},
          {"memory", cell(report.run.facts.peak_memory_bytes, gigabytes)}};
}

Json origin_rows(const RunFacts& facts) {
  Json rows = Json::array();
  for (const auto& [label, value, source] : input_origins(facts))
    rows.push_back({{"label", label}, {"value", printable(value)}, {"source", printable(source)}});
  return rows;
}

std::vector<std::string> printable_texts(std::vector<std::string> texts) {
  for (std::string& text : texts) text = printable(text);
  return texts;
}

/// One step is no chart.
bool charted(const MeasuredRun& run) { return run.steps.size() > 1; }

Json run_section(const MeasuredReport& report, std::size_t number, const Json& chart) {
  const MeasuredRun& run = report.run;
  const Json origins = report.metrics.step_time_s ? origin_rows(report.facts.facts) : Json::array();
  const bool steps = !run.steps.empty();
  const std::string path = printable(run.path);
  return {{"name", printable(report.name)},
          {"log", run.format.empty() ? path : fmt::format("{} ({})", path, run.format)},
          {"window", steps ? fmt::format("Steps: {}; {}", steps_text(run), window_text(run)) : ""},
          {"chart", charted(run) ? fmt::format("steps-{}", number) : ""},
          {"stretches", charted(run) && chart["steps"].front().size() > 2},
          {"has_origins", !origins.empty()},
          {"origins", origins},
          {"contradictions", printable_texts(report.facts.contradictions)},
          {"missing", printable_texts(steps ? report.metrics.missing : std::vector<std::string>())},
          {"skipped", skipped_text(run)}};
}

}  // namespace

std::string metrics_html(const std::vector<MeasuredReport>& reports) {
  const std::size_t shown = std::min(reports.size(), kMostRunSections);
  const bool one = reports.size() == 1 && reports.front().metrics.step_time_s;
  Json rows = Json::array();
  for (const MeasuredReport& report : reports) rows.push_back(figures(report));
  Json sections = Json::array();
  Json charts = Json::array();
  for (std::size_t i = 0; i < shown; ++i) {
    const MeasuredRun& run = reports[i].run;
    charts.push_back(step_chart(charted(run) ? run.steps : std::vector<MeasuredStep>()));
    sections.push_back(run_section(reports[i], i, charts.back()));
  }
  const Json content{
      {"title", reports.size() == 1 ? printable(reports.front().name) : "Training logs"},
      {"one", one ? rows.front() : nullptr},
      {"rows", rows},
      {"sections", std::move(sections)},
      {"shortened", reports.size() > shown ? Json(shown) : nullptr}};
  return html_chart_page("metrics", content, {{"steps", std::move(charts)}},
                         PageResult(metrics_json(reports)), {"step_charts.js"});
}

}  // namespace simtrain
