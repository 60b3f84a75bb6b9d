#include "sim/output/run/page/run_html.h"

#include <fmt/format.h>

#include "sim/output/html/html.h"
#include "sim/output/run/energy_report.h"
#include "sim/output/run/page/run_html_data.h"
#include "sim/output/run/page/run_html_memory.h"
#include "sim/output/run/page/run_html_sections.h"
#include "sim/output/run/text_report.h"
#include "sim/output/sweep/scale_report.h"
#include "sim/output/text/changes.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/training/job_html.h"
#include "sim/output/work/work_report.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

Json memory_tile(const Report& report) {
  if (report.memory.empty()) return nullptr;
  return {{"used", gigabytes(report.fullest_stage().total())},
          {"capacity", gigabytes(report.memory_capacity)},
          {"class", report.fits() ? "good" : "bad"},
          {"verdict", room_text(report)}};
}

/// Days of a training run: of the goal's, or of 1T tokens.
void add_goal(Json& tiles, const Report& report, const std::optional<TrainingGoal>& goal) {
  const bool asked = goal.has_value();
  const TrainingRun run =
      asked ? training_run(report, goal->tokens, goal->usd_per_gpu_hour) : TrainingRun{};
  tiles["days"] = fmt::format("{:.2f}", asked ? run.days : report.days_per_1t_tokens);
  tiles["goal"] = asked ? token_text(goal->tokens) : "1T";
  tiles["gpu_hours"] = asked ? grouped(run.gpu_hours) : "";
  tiles["usd"] = run.usd ? usd_text(*run.usd) : "";
}

Json headline(const Report& report, const std::optional<TrainingGoal>& goal) {
  const Interval interval = report.step_time_interval();
  Json tiles{{"step", fmt::format("{:.3f}", report.step_time_s)},
             {"low", fmt::format("{:.3f}", interval.low)},
             {"high", fmt::format("{:.3f}", interval.high)},
             {"mfu", fmt::format("{:.2f}", report.mfu * 100)},
             {"convention", name_of(report.mfu_convention)},
             {"tflops", grouped(report.tflops_per_gpu)},
             {"peak_tflops", grouped(report.peak_tflops_per_gpu)},
             {"tokens_per_s", grouped(report.tokens_per_s)},
             {"tokens_per_gpu", fmt::format("{:.1f}", report.tokens_per_s / report.gpus)},
             {"tokens", grouped(static_cast<double>(report.tokens_per_step()))},
             {"parameters", token_text(static_cast<double>(report.parameters.model))},
             {"gpu_parameters", token_text(static_cast<double>(report.parameters.fullest))},
             {"memory", memory_tile(report)}};
  add_goal(tiles, report, goal);
  return tiles;
}

Json engine(const Report& report) {
  return {{"events", report.engine.events},
          {"simulated", report.engine.ranks_simulated},
          {"ranks", report.engine.ranks},
          {"fingerprint", report.engine.fingerprint},
          {"source", report.source}};
}

}  // namespace

std::string run_html(const SimulatedStep& simulated, const Report& report,
                     const RunPageParts& parts) {
  const auto& [work, provenance, why, goal, json, job] = parts;
  const Waterfall fall = waterfall(simulated, report);
  const Json content{{"title", report.scenario},
                     {"cluster", report.cluster},
                     {"model", report.model},
                     {"software", report.software},
                     {"layout", report.layout},
                     {"changes", changes_page(changes_of(report))},
                     {"faults", report.faults},
                     {"in_row", in_row_texts(report)},
                     {"headline", headline(report, goal)},
                     {"job", job != nullptr ? job_section(job->goodput, job->advice) : nullptr},
                     {"waterfall", waterfall_section(fall)},
                     {"path", path_rows(report)},
                     {"step_text", seconds_text(report.step_time_s)},
                     {"explanation", why ? explanation_section(*why) : nullptr},
                     {"stages", simulated.grid.pp()},
                     {"memory", memory_section(report)},
                     {"energy", energy_page(report.energy)},
                     {"work", work_section(work, report)},
                     {"placement", placement_section(simulated, report)},
                     {"recipe", recipe_section(report)},
                     {"provenance", provenance_section(provenance)},
                     {"engine", engine(report)}};
  Json charts = run_page_data(simulated, report, fall);
  const PageResult carried(json);
  if (job == nullptr) return html_chart_page("run", content, charts, carried);
  charts["job"] = job_page_data(job->goodput, job->advice);
  return html_chart_page("run", content, charts, carried, {"job_charts.js"});
}

}  // namespace simtrain
