#include "sim/output/validation/validation_html.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/output/html/html.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/validation/validation_html_data.h"
#include "sim/output/validation/validation_report.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

std::string bare_percent(double fraction) { return fmt::format("{:.2f}", fraction * 100); }
std::string signed_percent_text(double fraction) { return fmt::format("{:+.2f}", fraction * 100); }

Json headline(const std::vector<ValidationResult>& results) {
  const ValidationSummary all = summarize(headline_rows(results));
  const ValidationSummary memory = memory_summary(results);
  Json json{{"rows", all.rows},
            {"mean_absolute", bare_percent(all.mean_absolute)},
            {"largest", bare_percent(all.largest_absolute)},
            {"bias", signed_percent_text(all.bias)},
            {"memory", nullptr}};
  if (memory.rows > 0)
    json["memory"] = {{"rows", memory.rows}, {"mean_absolute", bare_percent(memory.mean_absolute)}};
  return json;
}

Json bounds_json(const std::vector<ValidationResult>& results) {
  Json broken = Json::array();
  for (const ValidationResult& result : results) {
    for (const std::string& bound : broken_bounds(result)) broken.push_back(bound);
  }
  const bool stated = std::any_of(results.begin(), results.end(), states_bounds);
  const bool none = broken.empty();
  return {{"hold", none && stated},
          {"none", none && !stated},
          {"broken", none ? Json(nullptr) : Json{{"rows", std::move(broken)}}}};
}

std::string number(double value) {
  return std::abs(value) < 1000 ? fmt::format("{:.4g}", value) : grouped(value);
}

/// Bytes, which documents print one by one, are read as gigabytes.
bool in_bytes(FigureName figure) { return unit_of(figure) == "B"; }

std::string predicted_text(FigureName figure, double value) {
  return in_bytes(figure) ? gigabytes(value) : number(value);
}

/// A bar from the middle of a table cell to the error of a step time, and a stroke over its 90 %
/// interval, in pixels.
Json error_json(const RunResult& run, const FigureResult& time) {
  constexpr double kMiddle = 56;
  constexpr double kHalf = 55;
  constexpr double kFullError = 0.1;  // at which a bar is as long as it gets
  const auto x = [&](double error) {
    return kMiddle + std::clamp(error / kFullError, -1.0, 1.0) * kHalf;
  };
  const auto px = [](double value) { return fmt::format("{:.1f}", value); };
  const Interval interval = run.report.step_time_interval();
  const double end = x(time.error());
  return {{"percent", signed_percent_text(time.error())},
          {"side", time.error() < 0 ? "short" : "long"},
          {"x", px(std::min(end, kMiddle))},
          {"width", px(std::abs(end - kMiddle))},
          {"low", px(x(interval.low / time.measured - 1))},
          {"high", px(x(interval.high / time.measured - 1))}};
}

/// Printed and predicted figure; behind a step time its error.
Json cell_json(const RunResult& run, FigureName name) {
  const FigureResult* figure = run.find(name);
  const bool time = name == FigureName::step_time;
  if (figure == nullptr) return {{"figure", nullptr}, {"time", time}, {"error", nullptr}};
  return {{"figure",
           {{"printed", in_bytes(name) ? gigabytes(figure->measured) : figure->printed},
            {"doubt", !figure->follows()},
            {"predicted", figure->predicted ? predicted_text(name, *figure->predicted) : ""}}},
          {"time", time},
          {"error", time ? error_json(run, *figure) : nullptr}};
}

Json figures_json(const DocumentedTable& spec) {
  Json figures = Json::array();
  for (const FigureSpec& figure : spec.figures)
    figures.push_back({{"label", figure.label},
                       {"kind", in_words(name_of(figure.kind))},
                       {"figure", in_words(name_of(figure.figure))},
                       {"unit", in_bytes(figure.figure) ? "" : unit_of(figure.figure)},
                       {"time", figure.figure == FigureName::step_time}});
  return figures;
}

Json run_json(const TableResult& table, const RunResult& run) {
  Json cells = Json::array();
  for (const FigureSpec& spec : table.spec.figures) cells.push_back(cell_json(run, spec.figure));
  return {{"column", run.column},
          {"row", row_name(run)},
          {"caveat", run.caveat},
          {"cells", std::move(cells)}};
}

Json trend_json(const std::optional<TrendResult>& trend) {
  if (!trend) return nullptr;
  return {{"class", trend->holds() ? "soft" : "bad"},
          {"from", trend->from},
          {"to", trend->to},
          {"measured", signed_percent_text(trend->measured)},
          {"predicted", signed_percent_text(trend->predicted)},
          {"difference", signed_percent_text(trend->difference())}};
}

Json table_json(const TableResult& table, std::size_t number) {
  const DocumentedTable& spec = table.spec;
  Json rows = Json::array();
  for (const RunResult& run : table.runs) rows.push_back(run_json(table, run));
  Json disputed = Json::array();
  for (const DisputedFigure& figure : spec.disputed)
    disputed.push_back({{"figure", in_words(name_of(figure.figure))}, {"reason", figure.reason}});
  Json breakdown = breakdown_rows(table);
  breakdown["chart"] = fmt::format("breakdown-{}", number);
  return {{"table", spec.table},
          {"document", table.document},
          {"group", spec.group},
          {"precision", name_of(spec.precision)},
          {"scenario", spec.scenario},
          {"headline", table.headline()},
          {"note", spec.note},
          {"figures", figures_json(spec)},
          {"rows", std::move(rows)},
          {"summary", table.headline() ? summary_text(summarize(table.rows())) : ""},
          {"trend", trend_json(table.trend)},
          {"disputed", std::move(disputed)},
          {"breakdown", std::move(breakdown)}};
}

}  // namespace

std::string validation_html(const std::vector<ValidationResult>& results) {
  const Json charts = validation_page_data(results);
  Json tables = Json::array();
  for (const ValidationResult& result : results) {
    for (const TableResult& table : result.tables)
      tables.push_back(table_json(table, tables.size()));
  }
  const Json content{{"title", "simtrain validation"},
                     {"headline", headline(results)},
                     {"bounds", bounds_json(results)},
                     {"scatters", !charts["errors"]["points"].empty()},
                     {"tables", std::move(tables)}};
  return html_chart_page("validation", content, charts, PageResult(validation_json(results)));
}

}  // namespace simtrain
