#include "sim/output/training/job_html.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/core/quantity.h"
#include "sim/output/html/html.h"
#include "sim/output/run/text_report.h"
#include "sim/output/sweep/scale_report.h"
#include "sim/output/text/changes.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/training/goodput_report.h"
#include "sim/output/training/job_report.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

std::string days_text(double seconds) { return fmt::format("{:.2f}", seconds / kSecondsPerDay); }

/// What nine of ten runs have.
std::string range_text(const Spread& share) {
  return fmt::format("{:.2f} to {:.2f}", 100 * share.p5, 100 * share.p95);
}

Json price_tiles(const Goodput& goodput) {
  const StepEnergy& step = goodput.reports.front().energy;
  const JobBill bill = goodput.bill();
  const auto megawatt_hours = [](double joules) {
    return fmt::format("{:.1f} MWh", joules / (1e3 * kJoulesPerKilowattHour));
  };
  Json tiles = Json::array();
  tiles.push_back({{"value", megawatt_hours(bill.joules())},
                   {"meaning", megawatt_hours(bill.waiting_joules) + " while no step runs"}});
  if (step.gpu_price)
    tiles.push_back({{"value", usd_text(bill.cost.gpu_usd)}, {"meaning", "of GPU hours"}});
  if (step.electricity_price)
    tiles.push_back({{"value", usd_text(bill.cost.electricity_usd)}, {"meaning", "electricity"}});
  if (step.grid)
    tiles.push_back({{"value", fmt::format("{:.4g} t", bill.cost.carbon_kg / 1e3)},
                     {"meaning", "of CO2 equivalents"}});
  return tiles;
}

/// Days, with what the step may be off.
Json interval_tile(const Goodput& goodput) {
  const std::optional<Interval> interval = goodput.elapsed_interval();
  if (!interval) return nullptr;
  return {{"low", days_text(interval->low)}, {"high", days_text(interval->high)}};
}

Json between_tile(const Goodput& goodput) {
  const double rate = goodput.plan.interruptions_per_s();
  if (rate <= 0) return nullptr;
  return {{"time", long_time(1 / rate)},
          {"count", fmt::format("{:.1f}", goodput.summary.interruptions.mean)}};
}

Json spread_row(const char* name, const Spread& spread, double unit) {
  Json figures = Json::array();
  for (const double value :
       {spread.mean, spread.p5, spread.p10, spread.p50, spread.p90, spread.p95})
    figures.push_back(fmt::format("{:.2f}", value / unit));
  return {{"name", name}, {"figures", std::move(figures)}};
}

/// None where all runs are equal.
Json spread_section(const Goodput& goodput) {
  const JobSummary& summary = goodput.summary;
  if (summary.goodput.p5 == summary.goodput.p95) return nullptr;
  return {{"rows",
           {spread_row("days", summary.elapsed_s, kSecondsPerDay),
            spread_row("goodput, %", summary.goodput, 0.01),
            spread_row("effective time, %", summary.effective_time, 0.01),
            spread_row("unannounced interruptions", summary.interruptions, 1)}}};
}

Json use_rows(const JobSummary& summary) {
  Json rows = Json::array();
  for (const auto& [name, use] : EnumNames<TimeUse>::rows) {
    const double seconds = summary.used[use];
    if (seconds > 0)
      rows.push_back({{"name", in_words(name)},
                      {"share", percent_text(seconds / summary.elapsed_s.mean)},
                      {"time", long_time(seconds)}});
  }
  return rows;
}

Json power_rows(const Goodput& goodput) {
  const PowerLevels levels = goodput.power().levels;
  const auto row = [](const char* when, double watts) {
    return Json{{"when", when}, {"level", fmt::format("{:.4g} MW", watts / 1e6)}};
  };
  return {row("kernels on all GPUs", levels.step_most_w), row("mean of a step", levels.step_w),
          row("exposed communication, pipelines that fill and drain", levels.step_least_w),
          row("no step runs: saves, failures, restarts", levels.waiting_w)};
}

Json advice_section(const Goodput& goodput, const std::vector<JobAdvice>& advice) {
  if (advice.empty()) return nullptr;
  const bool priced = goodput.reports.front().energy.priced();
  Json rows = Json::array();
  for (const JobAdvice& one : advice)
    rows.push_back({{"change", one.change},
                    {"days", days_text(one.elapsed_s)},
                    {"saved", days_text(one.saved_s)},
                    {"gpu_hours", grouped(one.saved_gpu_hours)},
                    {"usd", priced ? saved_usd_text(one) : ""},
                    {"settings", one.settings}});
  return {{"tried", std::min(goodput.inputs.spec.runs, kTriedRuns)},
          {"priced", priced},
          {"rows", std::move(rows)}};
}

Json tried_rows(const std::vector<ChangedJob>& jobs) {
  Json rows = Json::array();
  for (const ChangedJob& job : jobs)
    rows.push_back({{"value", grouped(job.value)},
                    {"goodput", percent_text(job.summary.goodput.mean)},
                    {"days", days_text(job.summary.elapsed_s.mean)},
                    {"gpu_hours", grouped(job.summary.gpu_hours + job.summary.spare_gpu_hours)}});
  return rows;
}

Json interval_section(const Goodput& goodput) {
  if (goodput.intervals.empty()) return nullptr;
  return {{"young", grouped(goodput.young_steps)},
          {"daly", grouped(goodput.daly_steps)},
          {"now", grouped(goodput.plan.persistent.interval)},
          {"best", grouped(goodput.best_interval()->value)},
          {"rows", tried_rows(goodput.intervals)}};
}

Json spare_section(const Goodput& goodput) {
  if (goodput.spares.empty()) return nullptr;
  return {{"best", grouped(goodput.best_spares()->value)},
          {"now", goodput.plan.spares},
          {"rows", tried_rows(goodput.spares)}};
}

Json checkpoint_rows(const Goodput& goodput) {
  const CheckpointCost& cost = goodput.checkpoints.persistent;
  const SavePlan& save = goodput.plan.persistent;
  const SavePlan& local = goodput.plan.local;
  Json rows = Json::array();
  const auto add = [&](const char* name, const std::string& value) {
    rows.push_back({{"name", name}, {"value", value}});
  };
  add("size", gigabytes(goodput.checkpoints.shape.bytes));
  add("storage", goodput.inputs.storage.name);
  if (save.interval > 0)
    add("interval", fmt::format("{:.0f} steps, {}", save.interval,
                                long_time(save.interval * goodput.plan.step_s)));
  add("save", long_time(save.copy_s + save.write_s));
  add("training waits for", long_time(goodput.plan.waits_s(save)));
  add("load", long_time(cost.load_s));
  add("memory of a node while saving", gigabytes(goodput.checkpoints.host_bytes_per_node()));
  add("memory of a GPU beside the state while loading", gigabytes(cost.load_bytes_per_gpu));
  if (local.interval > 0)
    add("between them",
        fmt::format("every {:.0f} steps on {}", local.interval, goodput.inputs.local->name));
  return rows;
}

Json failure_section(const Goodput& goodput) {
  if (goodput.plan.failures.empty()) return nullptr;
  Json rows = Json::array();
  for (std::size_t kind = 0; kind < goodput.plan.failures.size(); ++kind) {
    const FailureKind& failure = goodput.plan.failures[kind];
    const bool slows = failure.effect == FailureEffect::slows;
    rows.push_back({{"component", in_words(failure.component)},
                    {"effect", in_words(name_of(failure.effect))},
                    {"count", fmt::format("{:.1f}", goodput.summary.failures[kind])},
                    {"nodes", fmt::format("{:g}", failure.nodes)},
                    {"slowdown",
                     slows ? fmt::format("{:.3f} times as long", failure.slowdowns.front()) : ""}});
  }
  return {{"name", goodput.inputs.failures->name}, {"rows", std::move(rows)}};
}

Json state_rows(const Goodput& goodput) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < goodput.reports.size(); ++i)
    rows.push_back({{"name", in_words(goodput.states.states[i].name)},
                    {"step", seconds_text(goodput.reports[i].step_time_s)},
                    {"room", room_text(goodput.reports[i])}});
  return rows;
}

}  // namespace

Json job_section(const Goodput& goodput, const std::vector<JobAdvice>& advice) {
  const JobPlan& plan = goodput.plan;
  const JobSummary& summary = goodput.summary;
  const int given_up = summary.runs - summary.finished;
  const double trained = summary.used[TimeUse::training] + summary.used[TimeUse::evaluation];
  return {{"days", days_text(summary.elapsed_s.p50)},
          {"p10", days_text(summary.elapsed_s.p10)},
          {"p90", days_text(summary.elapsed_s.p90)},
          {"interval", interval_tile(goodput)},
          {"runs", summary.runs},
          {"goodput", percent_text(summary.goodput.mean)},
          {"goodput_range", range_text(summary.goodput)},
          {"effective", percent_text(summary.effective_time.mean)},
          {"effective_range", range_text(summary.effective_time)},
          {"tokens", token_text(summary.steps.mean * plan.tokens_per_step)},
          {"steps", grouped(summary.steps.mean)},
          {"step", seconds_text(plan.step_s)},
          {"gpu_hours", grouped(summary.gpu_hours)},
          {"gpus", plan.gpus},
          {"spare_nodes", plan.spares > 0 ? std::to_string(plan.spares) : ""},
          {"spare_gpu_hours", grouped(summary.spare_gpu_hours)},
          {"prices", price_tiles(goodput)},
          {"between", between_tile(goodput)},
          {"given_up", given_up > 0 ? std::to_string(given_up) : ""},
          {"spread", spread_section(goodput)},
          {"training", percent_text(trained / summary.elapsed_s.mean)},
          {"uses", use_rows(summary)},
          {"power", power_rows(goodput)},
          {"advice", advice_section(goodput, advice)},
          {"intervals", interval_section(goodput)},
          {"spares", spare_section(goodput)},
          {"checkpoint", checkpoint_rows(goodput)},
          {"failures", failure_section(goodput)},
          {"states", state_rows(goodput)}};
}

std::string goodput_html(const Goodput& goodput) {
  const Report& report = goodput.reports.front();
  const std::vector<JobAdvice> advice = job_advice(goodput);
  const Json content{{"title", "The job of " + report.scenario},
                     {"cluster", report.cluster},
                     {"model", report.model},
                     {"software", report.software},
                     {"layout", report.layout},
                     {"changes", changes_page(changes_of(report))},
                     {"job", job_section(goodput, advice)}};
  return html_chart_page("goodput", content, {{"job", job_page_data(goodput, advice)}},
                         PageResult(goodput_json(goodput)), {"job_charts.js"});
}

}  // namespace simtrain
