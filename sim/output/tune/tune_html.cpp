#include "sim/output/tune/tune_html.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/output/html/html.h"
#include "sim/output/html/html_assets.h"
#include "sim/output/html/share_bars.h"
#include "sim/output/sweep/scale_report.h"
#include "sim/output/text/unit_text.h"
#include "sim/study/what_if/scale.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

std::string head_lines(const TuneHead& head, const TuneResult& result) {
  std::string out = fmt::format("<h1>Best plans of {}</h1>\n<p class=\"soft\">By {}",
                                html_text(head.scenario), name_of(result.by));
  if (result.memory_margin > 0)
    out += fmt::format(" \u00b7 {:g} % of a GPU's memory left free", result.memory_margin * 100);
  if (head.usd_per_gpu_hour)
    out += fmt::format(" \u00b7 {} tokens at $ {:g} per GPU hour", token_text(head.tokens),
                       *head.usd_per_gpu_hour);
  return out + "</p>\n" + changes_html(head.changes);
}

/// "fits", or what is wrong with it.
std::string room_span(const LegalPlan& plan) {
  if (!plan.fits) return "<span class=\"bad\">does not fit</span>";
  return plan.tight ? "<span class=\"bad\">tight</span>" : "fits";
}

std::string count_tiles(const TuneResult& result) {
  return html_tile(std::to_string(result.considered()), "combinations") +
         html_tile(std::to_string(result.legal()), "legal plans") +
         html_tile(std::to_string(result.fitting()),
                   fmt::format("fit in memory, {} of them tight", result.tight())) +
         html_tile(std::to_string(result.simulated), "simulated to find the best");
}

std::string tiles(const TuneResult& result) {
  std::string out = "<div class=\"tiles\">";
  if (!result.best.empty()) {
    const auto& [plan, report] = result.best.front();
    const Interval interval = report.step_time_interval();
    out += html_tile(fmt::format("{:.3f} s", report.step_time_s),
                     fmt::format("step time of the best, 90 % interval {:.3f} to {:.3f} s",
                                 interval.low, interval.high));
    out += html_tile(percent_text(report.mfu), "its MFU");
    out += html_tile(gigabytes(plan.memory_bytes),
                     fmt::format("its memory, {} to spare: {}", gigabytes(result.spare_bytes(plan)),
                                 room_span(plan)));
  }
  return out + count_tiles(result) + "</div>\n";
}

/// GPUs and knobs of a plan.
std::vector<std::string> plan_cells(const PlanChoice& choice) {
  std::vector<std::string> cells{std::to_string(choice.gpus)};
  for (const auto& [name, knob] : EnumNames<Knob>::rows)
    cells.push_back(value_text(knob, choice[knob]));
  return cells;
}

/// What "tight" means, and which such plans would come first if they ranked with the safe ones.
std::string tight_lines(const TuneResult& result) {
  std::string out;
  const bool shown = std::any_of(result.best.begin(), result.best.end(),
                                 [](const TunedPlan& tuned) { return tuned.plan.tight; });
  if (shown)
    out +=
        "<p class=\"soft\">Tight: fits only with less fragmentation of the allocator than "
        "usual.</p>\n";
  if (!result.tight_ahead.best) return out;
  const auto& [plan, report] = *result.tight_ahead.best;
  return out + fmt::format(
                   "<p>Tight plans that would be better than the first: {}. The best of them takes "
                   "{:.3f} s, MFU {}, with {} to spare: {} GPUs: {}. --allow-tight ranks tight "
                   "plans as others.</p>\n",
                   result.tight_ahead.plans, report.step_time_s, percent_text(report.mfu),
                   gigabytes(result.spare_bytes(plan)), plan.choice.gpus, text_of(plan.choice));
}

std::string given_line(const TuneHead& head) {
  if (!head.given)
    return head.given_refusal.empty()
               ? ""
               : fmt::format("<p class=\"soft\">The file's own plan: {}</p>\n",
                             html_text(head.given_refusal));
  const Report& given = *head.given;
  const std::string_view room = !given.fits()   ? "does not fit"
                                : given.tight() ? "fits, but tight"
                                                : "fits";
  return fmt::format(
      "<p class=\"soft\">The file's own plan on {} GPUs: {:.3f} s, MFU {}, {}: {}</p>\n",
      given.gpus, given.step_time_s, percent_text(given.mfu), room, html_text(given.layout));
}

std::string plans_section(const TuneHead& head, const TuneResult& result) {
  std::vector<std::string> heads{"", "GPUs"};
  for (const auto& [name, knob] : EnumNames<Knob>::rows) heads.emplace_back(name);
  for (const char* name : {"step time", "MFU", "memory", "to spare", ""}) heads.emplace_back(name);
  if (head.usd_per_gpu_hour) heads.emplace_back("cost");
  std::string rows;
  for (std::size_t i = 0; i < result.best.size(); ++i) {
    const auto& [plan, report] = result.best[i];
    std::vector<std::string> cells{std::to_string(i + 1)};
    for (std::string& cell : plan_cells(plan.choice)) cells.push_back(std::move(cell));
    cells.insert(cells.end(), {fmt::format("{:.3f} s", report.step_time_s),
                               percent_text(report.mfu), gigabytes(plan.memory_bytes),
                               gigabytes(result.spare_bytes(plan)), room_span(plan)});
    const TrainingRun run = training_run(report, head.tokens, head.usd_per_gpu_hour);
    if (run.usd) cells.push_back(usd_text(*run.usd));
    rows += html_row(cells);
  }
  return "<h2>The best that fit</h2>\n" + html_table(heads, rows) + tight_lines(result) +
         given_line(head);
}

std::string runner_up_section(const TuneResult& result) {
  std::string out =
      "<h2>Where the step of each goes</h2>\n"
      "<p class=\"legend\" id=\"shares-legend\"></p>\n" +
      html_chart("shares", "Critical path of each of the best plans by share");
  if (result.best.size() < 2) return out;
  return out +
         fmt::format(
             "<h2>Why the first is ahead of the second</h2>\n<p class=\"soft\">What the "
             "first spends less (left) or more (right) on each share than the second."
             "<br>1: {}<br>2: {}</p>\n",
             text_of(result.best[0].plan.choice), text_of(result.best[1].plan.choice)) +
         html_chart("difference", "Shares of the first plan less those of the second");
}

std::string skipped_steps(const TuneResult& result) {
  std::string out;
  for (const auto& [knob, changed, refusal] : result.steps) {
    if (!refusal.empty())
      out += fmt::format("<p class=\"soft\">{} {}: {}</p>\n", name_of(knob),
                         value_text(knob, changed.plan.choice[knob]), html_text(refusal));
  }
  return out;
}

std::string skipped_lines(const TuneResult& result) {
  std::string out;
  for (const auto& [reason, skipped] : result.skipped)
    out +=
        fmt::format("<p class=\"soft\">{} skipped: {}; the first: {} GPUs: {}</p>\n", skipped.count,
                    html_text(reason), skipped.example.gpus, text_of(skipped.example));
  return out;
}

std::string steps_section(const TuneResult& result) {
  if (result.steps.empty())
    return "<p class=\"soft\">No legal plan differs in one knob alone.</p>\n";
  const TunedPlan& best = result.best.front();
  std::string rows;
  for (const auto& [knob, changed, refusal] : result.steps) {
    if (!refusal.empty()) continue;
    rows += html_row(
        {std::string(name_of(knob)), value_text(knob, best.plan.choice[knob]),
         value_text(knob, changed.plan.choice[knob]),
         fmt::format("{:.3f} s", changed.report.step_time_s),
         fmt::format("{:+.2f} %", (changed.report.step_time_s / best.report.step_time_s - 1) * 100),
         gigabytes(changed.plan.memory_bytes), room_span(changed.plan)});
  }
  return "<h2>What each knob is worth</h2>\n<p class=\"soft\">The step time of the first plan with "
         "one knob a step down or up, simulated anew; DP follows. Pale: does not fit.</p>\n" +
         html_chart("steps", "Change of the step time with each knob") +
         html_details(
             "As a table",
             html_table({"knob", "from", "to", "step time", "change", "memory", ""}, rows)) +
         skipped_steps(result);
}

/// Which constraint leaves no plan.
std::string none_section(const TuneResult& result) {
  if (!result.skipped.empty())
    return fmt::format("<p class=\"bad\">No plan can be simulated: none of the {} that fit.</p>\n",
                       result.fitting()) +
           skipped_lines(result);
  const LegalPlan* smallest = result.smallest();
  if (smallest != nullptr)
    return fmt::format(
        "<p class=\"bad\">No plan fits: the smallest of {} legal ones needs {} of memory, {} are "
        "there.</p>\n<p class=\"soft\">{} GPUs: {}</p>\n",
        result.legal(), gigabytes(smallest->memory_bytes),
        gigabytes(result.spaces.front().capacity_bytes * (1 - result.memory_margin)),
        smallest->choice.gpus, text_of(smallest->choice));
  std::string rows;
  for (const PlanSpace& space : result.spaces) {
    for (const auto& [key, refusal] : space.refused)
      rows += fmt::format("<tr><td>{}</td><td class=\"text\">{}: {}</td></tr>\n", refusal.count,
                          html_text(key), html_text(refusal.example));
  }
  return "<p class=\"bad\">No plan is legal.</p>\n" +
         (rows.empty() ? "" : html_table({"combinations", ""}, rows));
}

Json differences_json(const TuneResult& result) {
  Json json = Json::array();
  if (result.best.size() < 2) return json;
  const Report& first = result.best[0].report;
  const Report& second = result.best[1].report;
  for (const auto& [name, share] : EnumNames<Share>::rows) {
    const double one = score(result.by, part(first.breakdown, share), first.gpus);
    const double two = score(result.by, part(second.breakdown, share), second.gpus);
    if (one > 0 || two > 0) json.push_back({{"name", name}, {"first", one}, {"second", two}});
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

std::string page_data(const TuneResult& result) {
  const bool seconds = result.by == TuneGoal::step_time;
  std::vector<ShareBar> bars;
  bars.reserve(result.best.size());
  for (const TunedPlan& best : result.best)
    bars.push_back({fmt::format("plan {}", bars.size() + 1), best.report,
                    score(result.by, 1, best.report.gpus)});
  const Json json{{"shares", share_bars_json(bars, seconds ? "s" : "GPU s")},
                  {"differences", differences_json(result)},
                  {"steps", steps_json(result)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string tune_html(const TuneHead& head, const TuneResult& result) {
  const std::string title = "Best plans of " + head.scenario;
  std::string body = head_lines(head, result) + tiles(result);
  if (result.best.empty()) return html_page(title, "", body + none_section(result));
  body += plans_section(head, result) + runner_up_section(result) + steps_section(result) +
          skipped_lines(result);
  return html_chart_page(title, body, page_data(result), tune_page_script());
}

}  // namespace simtrain
