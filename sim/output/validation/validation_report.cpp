#include "sim/output/validation/validation_report.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/printable.h"
#include "sim/output/text/wrapped_text.h"

namespace simtrain {
namespace {

std::string printable_name(const RunResult& run) {
  return run.row.empty() ? "-" : printable(run.row);
}

std::string errors_text(const ValidationSummary& summary) {
  return fmt::format("mean absolute error {:.2f} %, largest {:.2f} %, bias {:+.2f} %",
                     summary.mean_absolute * 100, summary.largest_absolute * 100,
                     summary.bias * 100);
}

std::string heading(const TableResult& table) {
  return wrapped_line(
      fmt::format("{} ({})", printable(table.spec.table), printable(table.document)), 0);
}

std::string step_times(const TableResult& table) {
  const bool mfu = std::any_of(table.runs.begin(), table.runs.end(), [](const RunResult& run) {
    return run.find(FigureName::mfu) != nullptr;
  });
  std::string out =
      fmt::format("  {:<13}{:>11}{:>11}{:>9}{:>7}{}\n", "row", "measured", "predicted", "error",
                  "+-90 %", mfu ? "   MFU printed, predicted" : "");
  for (const RunResult& run : table.runs) {
    const FigureResult* time = run.find(FigureName::step_time);
    const FigureResult* share = run.find(FigureName::mfu);
    const Interval interval = run.report.step_time_interval();
    const double half_width = (interval.high - interval.low) / 2 / run.report.step_time_s;
    out += fmt::format("  {:<13}{:>9.3f} s{:>9.3f} s{:>+7.2f} %{:>5.1f} %", printable_name(run),
                       time->measured, *time->predicted, time->error() * 100, half_width * 100);
    if (share != nullptr)
      out += fmt::format("{:>12.2f} %{:>9.2f} %", share->measured, *share->predicted);
    out += "\n";
    if (!run.caveat.empty()) out += "    " + wrapped(printable(run.caveat), 4) + "\n";
  }
  return out;
}

std::string trend_text(const TrendResult& trend) {
  return wrapped_line(
      fmt::format("growth {} to {}: measured {:+.2f} %, predicted {:+.2f} %, off by {:+.2f} points",
                  printable(trend.from), printable(trend.to), trend.measured * 100,
                  trend.predicted * 100, trend.difference() * 100));
}

/// How many cells of each derived figure follow from the step times beside them.
std::string arithmetic_text(const TableResult& table) {
  std::vector<std::string> parts;
  for (const FigureSpec& spec : table.spec.figures) {
    int cells = 0;
    int follow = 0;
    for (const RunResult& run : table.runs) {
      const FigureResult* figure = run.find(spec.figure);
      if (figure == nullptr || !figure->recomputed) continue;
      ++cells;
      follow += figure->follows() ? 1 : 0;
    }
    if (cells > 0) parts.push_back(fmt::format("{} {} of {}", name_of(spec.figure), follow, cells));
  }
  return parts.empty()
             ? ""
             : wrapped_line(fmt::format("follow from the step time: {}", fmt::join(parts, ", ")));
}

std::string disputes_text(const TableResult& table) {
  std::string out;
  for (const DisputedFigure& disputed : table.spec.disputed)
    out +=
        wrapped_line(fmt::format("{}: {}", name_of(disputed.figure), printable(disputed.reason)));
  return out;
}

/// Large counts as documents print them, with all digits; small ones with enough.
std::string number_text(double number, std::string_view unit) {
  return number < 1e6 ? fmt::format("{:.{}g} {}", number, number < 1 ? 4 : 6, unit)
                      : fmt::format("{:.0f} {}", number, unit);
}

/// Figures that are neither step times nor derived from them.
std::string other_figures(const TableResult& table) {
  std::string out;
  for (const RunResult& run : table.runs) {
    for (const FigureResult& figure : run.figures) {
      if (figure.kind == FigureKind::derived || !figure.predicted) continue;
      if (table.headline() && figure.figure == FigureName::step_time) continue;
      const std::string_view unit = unit_of(figure.figure);
      out +=
          fmt::format("  {:<17}{:<21}{:>15}{:>15}{:>+8.2f} %\n", printable_name(run),
                      name_of(figure.figure), fmt::format("{} {}", printable(figure.printed), unit),
                      number_text(*figure.predicted, unit), figure.error() * 100);
    }
  }
  return out;
}

std::string memory_text(const TableResult& table) {
  const ValidationSummary summary = summary_of(table.memory_errors());
  if (summary.rows < 2) return "";
  return wrapped_line(fmt::format("memory: {} figures, {}", summary.rows, errors_text(summary)));
}

/// Lines are shares, columns rows.
std::string breakdown_text(std::span<const RunResult> runs) {
  std::string out = fmt::format("  {:<21}", "% of the step");
  for (const RunResult& run : runs) out += fmt::format("{:>19}", printable_name(run));
  out += "\n";
  for (const auto& [name, share] : EnumNames<Share>::rows) {
    out += fmt::format("  {:<21}", name);
    for (const RunResult& run : runs)
      out += fmt::format("{:>19.2f}",
                         part(run.report.breakdown, share) / run.report.step_time_s * 100);
    out += "\n";
  }
  return out;
}

/// As many runs beside each other as fit.
std::string breakdowns_text(const TableResult& table) {
  constexpr std::size_t kBeside = 3;
  std::string out;
  for (std::span<const RunResult> left(table.runs); !left.empty();) {
    const std::size_t count = std::min(kBeside, left.size());
    out += breakdown_text(left.first(count));
    left = left.subspan(count);
  }
  return out;
}

std::string table_text(const TableResult& table, bool breakdown) {
  std::string out = heading(table);
  if (table.headline()) {
    out += step_times(table);
    out += wrapped_line(summary_text(summarize(table.rows())));
  }
  if (table.trend) out += trend_text(*table.trend);
  out += other_figures(table) + memory_text(table) + arithmetic_text(table) + disputes_text(table);
  if (breakdown) out += breakdowns_text(table);
  return out + "\n";
}

}  // namespace

std::string summary_text(const ValidationSummary& summary) {
  return fmt::format("{} row{}, {}", summary.rows, summary.rows == 1 ? "" : "s",
                     errors_text(summary));
}

ValidationSummary memory_summary(const std::vector<ValidationResult>& results) {
  std::vector<double> errors;
  for (const ValidationResult& result : results) {
    for (const double error : result.memory_errors()) errors.push_back(error);
  }
  return summary_of(errors);
}

std::vector<ValidationRow> headline_rows(const std::vector<ValidationResult>& results) {
  std::vector<ValidationRow> rows;
  for (const ValidationResult& result : results) {
    for (ValidationRow& row : result.rows()) rows.push_back(std::move(row));
  }
  return rows;
}

std::string validation_text(const std::vector<ValidationResult>& results, bool breakdown) {
  std::string out = "Errors are predicted over measured, less one.\n\n";
  for (const ValidationResult& result : results) {
    for (const TableResult& table : result.tables) out += table_text(table, breakdown);
  }
  const std::vector<ValidationRow> rows = headline_rows(results);
  const ValidationSummary memory = memory_summary(results);
  if (memory.rows > 0)
    out += fmt::format("Memory: {} figures, {}\n", memory.rows, errors_text(memory));
  if (!rows.empty()) out += fmt::format("All: {}\n", summary_text(summarize(rows)));
  for (const ValidationResult& result : results) {
    for (const std::string& broken : broken_bounds(result))
      out += wrapped_line("Outside its bound: " + printable(broken), 0);
  }
  return out;
}

}  // namespace simtrain
