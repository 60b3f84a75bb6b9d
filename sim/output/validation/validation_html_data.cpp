#include "sim/output/validation/validation_html_data.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "sim/output/html/coloured_groups.h"
#include "sim/output/html/share_bars.h"
#include "sim/output/text/unit_text.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

/// A documented run in the scatters; its figures hold a step time.
Json point_json(const TableResult& table, const RunResult& run, std::size_t group) {
  const FigureResult& time = *run.find(FigureName::step_time);
  const Interval interval = run.report.step_time_interval();
  return {{"group", group},
          {"bf16", table.spec.precision == Precision::bf16},
          {"name", table.spec.table + " " + run.row},
          {"gpus", run.report.gpus},
          {"measured_s", time.measured},
          {"predicted_s", run.report.step_time_s},
          {"error", time.error()},
          {"low", interval.low / time.measured - 1},
          {"high", interval.high / time.measured - 1}};
}

/// The points of all headline tables.
Json errors_json(const std::vector<ValidationResult>& results) {
  ColouredGroups groups;
  Json points = Json::array();
  for (const ValidationResult& result : results) {
    for (const TableResult& table : result.tables) {
      if (!table.headline()) continue;
      const std::size_t group = groups.place_of(table.spec.group);
      for (const RunResult& run : table.runs) points.push_back(point_json(table, run, group));
    }
  }
  return {{"groups", groups.json()}, {"points", std::move(points)}};
}

Json breakdown_json(const TableResult& table) {
  std::vector<ShareBar> bars;
  bars.reserve(table.runs.size());
  Json measured = Json::array();
  for (const RunResult& run : table.runs) {
    const FigureResult* time = run.find(FigureName::step_time);
    bars.push_back(
        {fmt::format("{}\n{:.3f} s", row_name(run), run.report.step_time_s), run.report});
    measured.push_back(time == nullptr ? Json(nullptr) : Json(time->measured));
  }
  Json json = share_bars_json(bars, "s");
  json["measured"] = std::move(measured);
  return json;
}

}  // namespace

std::string row_name(const RunResult& run) { return run.row.empty() ? "-" : run.row; }

Json breakdown_rows(const TableResult& table) {
  std::vector<std::size_t> shown;
  Json shares = Json::array();
  for (std::size_t i = 0; i < kShares; ++i) {
    const bool any = std::any_of(table.runs.begin(), table.runs.end(),
                                 [&](const RunResult& run) { return run.report.breakdown[i] > 0; });
    if (!any) continue;
    shown.push_back(i);
    shares.push_back(in_words(EnumNames<Share>::rows[i].first));
  }
  Json rows = Json::array();
  for (const RunResult& run : table.runs) {
    Json parts = Json::array();
    for (const std::size_t i : shown) {
      const double seconds = run.report.breakdown[i];
      parts.push_back({{"seconds", fmt::format("{:.3f}", seconds)},
                       {"share", fmt::format("{:.2f}", seconds / run.report.step_time_s * 100)}});
    }
    rows.push_back({{"row", row_name(run)},
                    {"step", fmt::format("{:.3f}", run.report.step_time_s)},
                    {"parts", std::move(parts)}});
  }
  return {{"shares", std::move(shares)}, {"rows", std::move(rows)}};
}

Json validation_page_data(const std::vector<ValidationResult>& results) {
  Json breakdowns = Json::array();
  for (const ValidationResult& result : results) {
    for (const TableResult& table : result.tables) breakdowns.push_back(breakdown_json(table));
  }
  return {{"errors", errors_json(results)}, {"breakdowns", std::move(breakdowns)}};
}

}  // namespace simtrain
