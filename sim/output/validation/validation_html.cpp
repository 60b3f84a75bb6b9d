#include "sim/output/validation/validation_html.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/output/html/html.h"
#include "sim/output/validation/validation_charts.h"
#include "sim/output/validation/validation_report.h"

namespace simtrain {
namespace {

/// The error at which a bar is as long as it gets.
constexpr double kFullErrorBar = 0.1;

std::string headline(const std::vector<ValidationResult>& results) {
  const ValidationSummary all = summarize(headline_rows(results));
  const ValidationSummary memory = memory_summary(results);
  const auto percent = [](double fraction) { return fmt::format("{:.2f} %", fraction * 100); };
  std::string out = "<div class=\"tiles\">";
  out += html_tile(std::to_string(all.rows), "step times");
  out += html_tile(percent(all.mean_absolute), "mean absolute error");
  out += html_tile(percent(all.largest_absolute), "largest absolute error");
  out += html_tile(fmt::format("{:+.2f} %", all.bias * 100), "bias");
  if (memory.rows > 0)
    out += html_tile(percent(memory.mean_absolute),
                     fmt::format("mean absolute error of {} figures of memory", memory.rows));
  return out + "</div>\n";
}

std::string bounds_list(const std::vector<ValidationResult>& results) {
  std::string out;
  for (const ValidationResult& result : results) {
    for (const std::string& broken : broken_bounds(result))
      out += fmt::format("<li>{}</li>\n", html_text(broken));
  }
  const bool stated = std::any_of(results.begin(), results.end(), states_bounds);
  if (out.empty())
    return stated ? "<p class=\"good\">All stated bounds hold.</p>\n"
                  : "<p class=\"soft\">No bounds are stated.</p>\n";
  return "<p class=\"bad\">Outside their bounds:</p><ul>" + out + "</ul>\n";
}

std::string number(double value) {
  return std::abs(value) < 1000 ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value);
}

/// Printed and predicted figure, side by side; behind a step time its error.
std::string figure_cells(const RunResult& run, FigureName name) {
  const FigureResult* figure = run.find(name);
  const bool time = name == FigureName::step_time;
  if (figure == nullptr)
    return fmt::format("<td class=\"soft\">n/a</td><td></td>{}", time ? "<td></td><td></td>" : "");
  const std::string doubt =
      figure->follows() ? "" : " class=\"bad\" title=\"does not follow from the step time\"";
  std::string out = fmt::format("<td{}>{}</td><td>{}</td>", doubt, html_text(figure->printed),
                                figure->predicted ? number(*figure->predicted) : "");
  if (time)
    out += fmt::format("<td>{:+.2f} %</td><td>{}</td>", figure->error() * 100,
                       error_bar(run, kFullErrorBar));
  return out;
}

std::string table_head(const TableResult& table) {
  std::string out = "<tr><th>row</th>";
  for (const FigureSpec& spec : table.spec.figures)
    out += fmt::format(
        "<th title=\"{} ({})\">{}<br>{}</th><th>predicted<br>&nbsp;</th>{}", html_text(spec.label),
        name_of(spec.kind), name_of(spec.figure), unit_of(spec.figure),
        spec.figure == FigureName::step_time ? "<th>error<br>&nbsp;</th><th></th>" : "");
  return out + "</tr>\n";
}

std::string table_row(const TableResult& table, const RunResult& run) {
  std::string out = fmt::format(
      "<tr><td title=\"{}\">{}{}</td>", html_text(run.column),
      run.row.empty() ? "-" : html_text(run.row),
      run.caveat.empty() ? ""
                         : fmt::format("<br><span class=\"bad\">{}</span>", html_text(run.caveat)));
  for (const FigureSpec& spec : table.spec.figures) out += figure_cells(run, spec.figure);
  return out + "</tr>\n";
}

std::string breakdown_table(const TableResult& table) {
  double longest = 0;
  for (const RunResult& run : table.runs) {
    const FigureResult* time = run.find(FigureName::step_time);
    longest = std::max({longest, run.report.step_time_s, time == nullptr ? 0 : time->measured});
  }
  std::string out = "<details open><summary>Where the step goes</summary>" + breakdown_legend() +
                    "<div class=\"scroll\"><table class=\"bars\">\n";
  for (const RunResult& run : table.runs)
    out += fmt::format("<tr><td>{}</td><td>{:.3f} s</td><td>{}</td></tr>\n",
                       run.row.empty() ? "-" : html_text(run.row), run.report.step_time_s,
                       breakdown_bar(run, longest));
  return out + "</table></div></details>\n";
}

std::string trend_line(const TrendResult& trend) {
  return fmt::format(
      "<p class=\"{}\">Growth {} to {}: measured {:+.2f} %, predicted {:+.2f} %, off by {:+.2f} "
      "points.</p>\n",
      trend.holds() ? "soft" : "bad", html_text(trend.from), html_text(trend.to),
      trend.measured * 100, trend.predicted * 100, trend.difference() * 100);
}

std::string table_section(const TableResult& table) {
  const DocumentedTable& spec = table.spec;
  std::string out =
      fmt::format("<h2>{}</h2>\n<p class=\"soft\">{} \u00b7 {} \u00b7 {} \u00b7 {}{}</p>\n",
                  html_text(spec.table), html_text(table.document), html_text(spec.group),
                  name_of(spec.precision), html_text(spec.scenario),
                  table.headline() ? "" : " \u00b7 not in the headline");
  if (!spec.note.empty()) out += fmt::format("<p class=\"soft\">{}</p>\n", html_text(spec.note));
  out += "<div class=\"scroll\"><table>\n" + table_head(table);
  for (const RunResult& run : table.runs) out += table_row(table, run);
  out += "</table></div>\n";
  if (table.headline()) out += fmt::format("<p>{}.</p>\n", summary_text(summarize(table.rows())));
  if (table.trend) out += trend_line(*table.trend);
  for (const DisputedFigure& disputed : spec.disputed)
    out += fmt::format("<p class=\"soft\">{}: {}</p>\n", name_of(disputed.figure),
                       html_text(disputed.reason));
  return out + breakdown_table(table);
}

std::vector<ScatterPoint> scatter_points(const std::vector<ValidationResult>& results) {
  std::vector<ScatterPoint> points;
  for (const ValidationResult& result : results) {
    for (const TableResult& table : result.tables) {
      if (!table.headline()) continue;
      for (const RunResult& run : table.runs) points.push_back({&table, &run});
    }
  }
  return points;
}

}  // namespace

std::string validation_html(const std::vector<ValidationResult>& results) {
  std::string body =
      "<h1>Predicted against measured</h1>\n<p class=\"soft\">Errors are "
      "predicted over measured step time, less one.</p>\n";
  const std::vector<ScatterPoint> points = scatter_points(results);
  body += headline(results) + bounds_list(results);
  if (!points.empty())
    body += "<h2>Errors by step time and by scale</h2>\n" + scatter_legend(points);
  body += error_scatter(points, ScatterBase::step_time) + error_scatter(points, ScatterBase::gpus);
  for (const ValidationResult& result : results) {
    for (const TableResult& table : result.tables) body += table_section(table);
  }
  return html_page("simtrain validation", chart_style(), body);
}

}  // namespace simtrain
