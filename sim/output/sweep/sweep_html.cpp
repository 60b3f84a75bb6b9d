#include "sim/output/sweep/sweep_html.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/output/html/html.h"
#include "sim/output/html/page_tables.h"
#include "sim/output/sweep/sweep_html_data.h"
#include "sim/output/text/unit_text.h"
#include "sim/study/sweep/sweep_digest.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

std::string values_text(const SweepAxis& axis) {
  constexpr std::size_t kMost = 12;
  const auto end =
      axis.texts.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, axis.texts.size()));
  std::string values = fmt::format("{}", fmt::join(axis.texts.begin(), end, ", "));
  if (end != axis.texts.end())
    values += fmt::format(" \u2026 {} ({} values)", axis.texts.back(), axis.texts.size());
  return values;
}

Json axes_json(const SweepGrid& grid) {
  Json axes = Json::array();
  for (const SweepAxis& axis : grid.axes())
    axes.push_back({{"separator", axes.empty() ? "" : " \u00b7 "},
                    {"column", axis.column},
                    {"values", values_text(axis)}});
  return axes;
}

Json counts_json(const SweepTable& table, const SweepCounts& counts) {
  const std::size_t fit = counts.of(SweepStatus::ok);
  const std::size_t too_large = counts.of(SweepStatus::does_not_fit);
  const std::size_t failed = counts.of(SweepStatus::failed);
  return {{"candidates", table.question.grid.size()},
          {"simulated", fit + too_large},
          {"fit", fit},
          {"fit_class", fit > 0 ? "good" : "bad"},
          {"too_large", too_large},
          {"illegal", counts.of(SweepStatus::illegal)},
          {"failed", failed > 0 ? Json(failed) : nullptr}};
}

Json best_row_json(const SweepGrid& grid, const SweepRow& row) {
  Json values = Json::array();
  const std::vector<std::size_t> choice = grid.choice(row.index);
  for (std::size_t i = 0; i < choice.size(); ++i) values.push_back(grid.axes()[i].texts[choice[i]]);
  return {{"choice", std::move(values)},
          {"gpus", row.gpus},
          {"dp", row.dp},
          {"step", fmt::format("{:.3f}", row.step_time_s)},
          {"low", fmt::format("{:.3f}", row.step_time_interval.low)},
          {"high", fmt::format("{:.3f}", row.step_time_interval.high)},
          {"tokens_per_s", grouped(row.tokens_per_s)},
          {"mfu", fmt::format("{:.2f}", row.mfu * 100)},
          {"memory", gigabytes(row.total_bytes)},
          {"capacity", gigabytes(row.capacity_bytes)},
          {"index", row.index}};
}

/// The fastest that fits, and those after it as `rows`; null where none fits.
Json best_json(const SweepTable& table) {
  const std::vector<const SweepRow*> best = best_rows(table.rows, 10);
  if (best.empty()) return nullptr;
  Json rows = Json::array();
  for (const SweepRow* row : best) rows.push_back(best_row_json(table.question.grid, *row));
  Json json = rows.front();
  json["rows"] = std::move(rows);
  return json;
}

Json reasons_json(const SweepCounts& counts) {
  if (counts.reasons.empty()) return nullptr;
  constexpr std::size_t kMost = 200;
  const std::size_t shown = std::min(kMost, counts.reasons.size());
  const std::size_t more = counts.reasons.size() - shown;
  Json rows = Json::array();
  for (std::size_t i = 0; i < shown; ++i)
    rows.push_back({{"count", counts.reasons[i].second}, {"reason", counts.reasons[i].first}});
  return {{"rows", std::move(rows)}, {"more", more > 0 ? Json(more) : nullptr}};
}

/// Columns of the table of all candidates behind those of the axes (web/sweep_page.js).
constexpr std::size_t kRowColumns = 9;

/// Of a large sweep its other files have the rows.
PageResult carried(const SweepTable& table) {
  constexpr std::size_t kMostRows = 4000;
  if (table.rows.size() <= kMostRows) return PageResult(sweep_json(table));
  ResultLine best;
  if (const auto rows = best_rows(table.rows, 1); !rows.empty()) {
    best.step_s = rows.front()->step_time_s;
    best.mfu = rows.front()->mfu;
  }
  return PageResult(
      {sweep_line(table.question.name, best, sweep_counts(table.rows).of(SweepStatus::ok),
                  table.question.grid.size(), table.complete())});
}

}  // namespace

std::string sweep_html(const SweepTable& table) {
  const SweepQuestion& question = table.question;
  const SweepCounts counts = sweep_counts(table.rows);
  const Json content{{"title", "Sweep of " + question.name},
                     {"axes", axes_json(question.grid)},
                     {"stopped", !table.complete()},
                     {"done", table.rows.size()},
                     {"all", question.grid.size()},
                     {"gpus_note", question.gpus_note},
                     {"same_work", sweep_spread(table.rows).same_work},
                     {"counts", counts_json(table, counts)},
                     {"best", best_json(table)},
                     {"reasons", reasons_json(counts)},
                     {"stacking", stacking_class(question.grid.axes().size() + kRowColumns)},
                     {"listed", table.rows.size() > kMostPageRows},
                     {"most", kMostPageRows},
                     {"fingerprint", question.fingerprint}};
  return html_chart_page("sweep", content, sweep_page_data(table), carried(table));
}

}  // namespace simtrain
