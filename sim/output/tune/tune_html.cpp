#include "sim/output/tune/tune_html.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/output/html/html.h"
#include "sim/output/html/share_bars.h"
#include "sim/output/run/text_report.h"
#include "sim/output/sweep/scale_report.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/tune/plan_page.h"
#include "sim/output/tune/tune_report.h"
#include "sim/study/what_if/scale.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

/// Whether it fits, for web/templates/room.html.
void add_room(Json& json, const LegalPlan& plan) {
  json["bad"] = !plan.fits || plan.tight;
  json["room"] = !plan.fits ? "does not fit" : plan.tight ? "tight" : "fits";
}

std::string step_text(const Report& report) { return fmt::format("{:.3f}", report.step_time_s); }

/// Step time, MFU and memory of a plan.
Json plan_figures(const TuneResult& result, const TunedPlan& tuned) {
  const auto& [plan, report] = tuned;
  Json json{{"step", step_text(report)},
            {"mfu", percent_text(report.mfu)},
            {"memory", gigabytes(plan.memory_bytes)},
            {"spare", gigabytes(result.spare_bytes(plan))}};
  add_room(json, plan);
  return json;
}

Json best_tiles(const TuneResult& result) {
  if (result.best.empty()) return nullptr;
  Json json = plan_figures(result, result.best.front());
  const Interval interval = result.best.front().report.step_time_interval();
  json["low"] = fmt::format("{:.3f}", interval.low);
  json["high"] = fmt::format("{:.3f}", interval.high);
  return json;
}

Json plan_rows(const TuneHead& head, const TuneResult& result) {
  Json rows = Json::array();
  for (const TunedPlan& tuned : result.best) {
    Json row = plan_figures(result, tuned);
    const TrainingRun run = training_run(tuned.report, head.tokens, head.usd_per_gpu_hour);
    row["number"] = rows.size() + 1;
    row["cells"] = plan_cells(tuned.plan.choice);
    row["usd"] = run.usd ? usd_text(*run.usd) : "";
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Tight plans that would come first if they ranked with the safe ones.
Json tight_ahead(const TuneResult& result) {
  if (!result.tight_ahead.best) return nullptr;
  const PlanChoice& choice = result.tight_ahead.best->plan.choice;
  Json json = plan_figures(result, *result.tight_ahead.best);
  json["count"] = result.tight_ahead.plans;
  json["gpus"] = choice.gpus;
  json["plan"] = text_of(choice);
  return json;
}

Json given_plan(const TuneHead& head) {
  if (!head.given) return nullptr;
  const Report& given = *head.given;
  return {{"gpus", given.gpus},
          {"step", step_text(given)},
          {"mfu", percent_text(given.mfu)},
          {"room", room_text(given)},
          {"layout", given.layout}};
}

Json second_plan(const TuneResult& result) {
  if (result.best.size() < 2) return nullptr;
  return {{"first", text_of(result.best[0].plan.choice)},
          {"second", text_of(result.best[1].plan.choice)}};
}

Json step_row(const TuneResult& result, const KnobStep& step) {
  const TunedPlan& best = result.best.front();
  const auto& [knob, changed, refusal] = step;
  Json json{
      {"knob", name_of(knob)},
      {"from", value_text(knob, best.plan.choice[knob])},
      {"to", value_text(knob, changed.plan.choice[knob])},
      {"refusal", refusal},
      {"step", step_text(changed.report)},
      {"change",
       fmt::format("{:+.2f}", (changed.report.step_time_s / best.report.step_time_s - 1) * 100)},
      {"memory", gigabytes(changed.plan.memory_bytes)}};
  add_room(json, changed.plan);
  return json;
}

Json step_rows(const TuneResult& result) {
  if (result.steps.empty()) return nullptr;
  Json rows = Json::array();
  Json refused = Json::array();
  for (const auto& step : result.steps)
    (step.refusal.empty() ? rows : refused).push_back(step_row(result, step));
  return {{"rows", std::move(rows)}, {"refused", std::move(refused)}};
}

/// The content of web/templates/tune_plans.html and tune_steps.html.
Json plans_section(const TuneHead& head, const TuneResult& result) {
  const PlanChoice first = result.best.empty() ? PlanChoice{} : result.best.front().plan.choice;
  const bool any_tight = std::any_of(result.best.begin(), result.best.end(),
                                     [](const TunedPlan& tuned) { return tuned.plan.tight; });
  Json knobs = knob_names(first);
  // Those of a dense model are narrow columns, which fit where as many of words would not.
  const std::string_view stacking = knobs.size() <= 8 ? "stack-large" : "stack-always";
  return {
      {"knobs", std::move(knobs)},          {"stacking", stacking},
      {"plans", plan_rows(head, result)},   {"any_tight", any_tight},
      {"tight_ahead", tight_ahead(result)}, {"given_refusal", head.given ? "" : head.given_refusal},
      {"given", given_plan(head)},          {"second", second_plan(result)},
      {"steps", step_rows(result)}};
}

Json page_content(const TuneHead& head, const TuneResult& result) {
  const bool found = !result.best.empty();
  const auto general = [](double value) { return fmt::format("{:g}", value); };
  return {{"title", "Best plans of " + head.scenario},
          {"by", in_words(name_of(result.by))},
          {"margin", result.memory_margin > 0 ? general(result.memory_margin * 100) : ""},
          {"tokens", token_text(head.tokens)},
          {"price", head.usd_per_gpu_hour ? general(*head.usd_per_gpu_hour) : ""},
          {"changes", changes_page(head.changes)},
          {"best", best_tiles(result)},
          {"counts", counts_section(result)},
          {"sought", "the best"},
          {"none", found ? nullptr : no_plan_section(result)},
          {"found", found ? plans_section(head, result) : nullptr},
          {"skipped", skipped_rows(result)}};
}

Json differences_json(const TuneResult& result) {
  Json json = Json::array();
  if (result.best.size() < 2) return json;
  const Report& first = result.best[0].report;
  const Report& second = result.best[1].report;
  for (const auto& [name, share] : EnumNames<Share>::rows) {
    const double one = score(result.by, part(first.breakdown, share), first.gpus);
    const double two = score(result.by, part(second.breakdown, share), second.gpus);
    if (one > 0 || two > 0)
      json.push_back({{"name", in_words(name)}, {"first", one}, {"second", two}});
  }
  json.push_back({{"name", "step"},
                  {"first", score(result.by, first.step_time_s, first.gpus)},
                  {"second", score(result.by, second.step_time_s, second.gpus)}});
  return json;
}

Json steps_json(const TuneResult& result) {
  Json json = Json::array();
  const TunedPlan& best = result.best.front();
  for (const auto& [knob, changed, refusal] : result.steps) {
    if (!refusal.empty()) continue;
    json.push_back({{"name", fmt::format("{} {} \u2192 {}", name_of(knob),
                                         value_text(knob, best.plan.choice[knob]),
                                         value_text(knob, changed.plan.choice[knob]))},
                    {"change", changed.report.step_time_s / best.report.step_time_s - 1},
                    {"step_s", changed.report.step_time_s},
                    {"gigabytes", changed.plan.memory_bytes / 1e9},
                    {"fits", changed.plan.fits}});
  }
  return json;
}

Json page_charts(const TuneResult& result) {
  const bool seconds = result.by == TuneGoal::step_time;
  std::vector<ShareBar> bars;
  bars.reserve(result.best.size());
  for (const TunedPlan& best : result.best)
    bars.push_back({fmt::format("plan {}", bars.size() + 1), best.report,
                    score(result.by, 1, best.report.gpus)});
  return {{"shares", share_bars_json(bars, seconds ? "s" : "GPU s")},
          {"differences", differences_json(result)},
          {"steps", steps_json(result)}};
}

}  // namespace

std::string tune_html(const TuneHead& head, const TuneResult& result) {
  const Json content = page_content(head, result);
  const PageResult carried(tune_json(head, result));
  if (result.best.empty()) return html_page("tune", content, carried);
  return html_chart_page("tune", content, page_charts(result), carried);
}

}  // namespace simtrain
