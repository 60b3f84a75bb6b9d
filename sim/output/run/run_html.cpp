#include "sim/output/run/run_html.h"

#include <fmt/format.h>

#include "sim/output/html/html.h"
#include "sim/output/html/html_assets.h"
#include "sim/output/run/run_html_data.h"
#include "sim/output/run/run_html_memory.h"
#include "sim/output/run/run_html_sections.h"
#include "sim/output/sweep/scale_report.h"
#include "sim/output/text/changes.h"
#include "sim/output/text/unit_text.h"

namespace simtrain {
namespace {

std::string head(const Report& report) {
  std::string out =
      fmt::format("<h1>{}</h1>\n<p class=\"soft\">{} \u00b7 {} \u00b7 {}<br>{}</p>\n",
                  html_text(report.scenario), html_text(report.cluster), html_text(report.model),
                  html_text(report.software), html_text(report.layout));
  out += changes_html(changes_of(report));
  for (const std::string& fault : report.faults)
    out += fmt::format("<p class=\"bad\">Fault: {}</p>\n", html_text(fault));
  return out;
}

std::string memory_tile(const Report& report) {
  if (report.memory.empty()) return "";
  const std::string_view verdict = !report.fits()   ? "does not fit"
                                   : report.tight() ? "fits, but tight"
                                                    : "fits";
  return html_tile(
      gigabytes(report.fullest_stage().total()),
      fmt::format("of {} a GPU: <span class=\"{}\">{}</span>", gigabytes(report.memory_capacity),
                  report.fits() ? "good" : "bad", verdict));
}

std::string goal_tile(const Report& report, const std::optional<TrainingGoal>& goal) {
  if (!goal)
    return html_tile(fmt::format("{:.2f} days", report.days_per_1t_tokens), "for 1T tokens");
  const TrainingRun run = training_run(report, goal->tokens, goal->usd_per_gpu_hour);
  std::string label =
      fmt::format("for {} tokens, {:.0f} GPU hours", token_text(goal->tokens), run.gpu_hours);
  if (run.usd) label += ", " + usd_text(*run.usd);
  return html_tile(fmt::format("{:.2f} days", run.days), label);
}

std::string tiles(const Report& report, const std::optional<TrainingGoal>& goal) {
  const Interval interval = report.step_time_interval();
  std::string out = "<div class=\"tiles\">";
  out += html_tile(
      fmt::format("{:.3f} s", report.step_time_s),
      fmt::format("step time, 90 % interval {:.3f} to {:.3f} s", interval.low, interval.high));
  out += html_tile(fmt::format("{:.2f} %", report.mfu * 100),
                   fmt::format("MFU ({})", name_of(report.mfu_convention)));
  out += html_tile(fmt::format("{:.0f} TFLOP/s", report.tflops_per_gpu),
                   fmt::format("a GPU, of {:.0f} TFLOP/s", report.peak_tflops_per_gpu));
  out += html_tile(fmt::format("{:.0f}", report.tokens_per_s),
                   fmt::format("tokens/s, {:.1f} a GPU; {} a step",
                               report.tokens_per_s / report.gpus, report.tokens_per_step()));
  out += goal_tile(report, goal);
  out += html_tile(token_text(static_cast<double>(report.parameters.model)),
                   fmt::format("parameters, up to {} a GPU",
                               token_text(static_cast<double>(report.parameters.fullest))));
  out += memory_tile(report);
  return out + "</div>\n";
}

std::string foot(const Report& report) {
  return fmt::format(
      "<p class=\"soft\">simtrain: {} events, {} of {} ranks simulated, fingerprint {}. Recipe: "
      "{}</p>\n",
      report.engine.events, report.engine.ranks_simulated, report.engine.ranks,
      report.engine.fingerprint, html_text(report.source));
}

}  // namespace

std::string run_html(const SimulatedStep& simulated, const Report& report,
                     const std::vector<ProvenanceFile>& provenance,
                     const std::optional<Explanation>& why,
                     const std::optional<TrainingGoal>& goal) {
  std::string body = head(report) + tiles(report, goal);
  body += waterfall_section(simulated, report);
  if (why) body += explanation_section(*why);
  body += pipeline_section(simulated);
  body += memory_section(report);
  body += communication_section(report);
  body += cluster_section(simulated, report);
  body += recipe_section(report);
  body += provenance_section(provenance);
  body += foot(report);
  return html_chart_page(report.scenario, body, run_page_data(simulated, report),
                         run_page_script());
}

}  // namespace simtrain
