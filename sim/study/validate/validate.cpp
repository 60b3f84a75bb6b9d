#include "sim/study/validate/validate.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "sim/run/simulate.h"

namespace simtrain {
namespace {

double growth(const std::vector<ValidationRow>& rows, const TrendSpec& trend,
              double ValidationRow::*time) {
  const auto at = [&](const std::string& name) {
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [&](const ValidationRow& row) { return row.row == name; });
    return *found.*time;
  };
  return at(trend.to) / at(trend.from) - 1;
}

TableResult validate_table(const DataFolder& data, const ScenarioSource& source,
                           const std::string& document, const DocumentedTable& table,
                           const std::function<void()>& row_done) {
  TableResult result{document, table, {}, std::nullopt};
  result.runs.reserve(table.rows.size());
  for (const DocumentedRow& row : table.rows) {
    Report report = simulate(source.scenario(data, row.row, {}));
    std::vector<FigureResult> figures = compare_figures(table, row, report);
    result.runs.push_back({row.row, row.column, std::move(figures), std::move(report)});
    row_done();
  }
  if (table.trend) {
    const std::vector<ValidationRow> rows = result.rows();
    result.trend = TrendResult{
        table.trend->from, table.trend->to, growth(rows, *table.trend, &ValidationRow::measured_s),
        growth(rows, *table.trend, &ValidationRow::predicted_s), table.trend->within.fraction};
  }
  return result;
}

void check_errors(const std::string& what, const ValidationSummary& summary,
                  const std::optional<ErrorBounds>& bounds, std::vector<std::string>& broken) {
  if (!bounds) return;
  const auto check = [&](std::string_view name, double error, Percent bound) {
    if (error <= bound.fraction) return;
    broken.push_back(fmt::format("{}: {} absolute error {:.2f} %, bound {:g} %", what, name,
                                 error * 100, bound.fraction * 100));
  };
  check("mean", summary.mean_absolute, bounds->mean);
  check("largest", summary.largest_absolute, bounds->max);
}

void check_figures(const TableResult& table, const RunResult& run,
                   std::vector<std::string>& broken) {
  for (const FigureResult& figure : run.figures) {
    if (figure.holds()) continue;
    const std::string what = fmt::format("{}, {}, {}", table.spec.table,
                                         run.row.empty() ? "-" : run.row, name_of(figure.figure));
    broken.push_back(figure.follows() || figure.disputed
                         ? fmt::format("{}: error {:+.2f} %, bound {:g} %", what,
                                       figure.error() * 100, figure.within->fraction * 100)
                         : fmt::format("{}: {} is printed, {:.6g} follows from the step time", what,
                                       figure.printed, *figure.recomputed));
  }
}

void check_table(const TableResult& table, std::vector<std::string>& broken) {
  check_errors(table.spec.table, summarize(table.rows()), table.spec.bounds, broken);
  if (table.trend && !table.trend->holds())
    broken.push_back(fmt::format("{}: growth misses by {:+.2f} points, bound {:g} points",
                                 table.spec.table, table.trend->difference() * 100,
                                 table.trend->within * 100));
  for (const RunResult& run : table.runs) check_figures(table, run, broken);
}

}  // namespace

ValidationSummary summary_of(const std::vector<double>& errors) {
  ValidationSummary summary;
  summary.rows = errors.size();
  for (const double error : errors) {
    summary.mean_absolute += std::abs(error) / static_cast<double>(errors.size());
    summary.bias += error / static_cast<double>(errors.size());
    summary.largest_absolute = std::max(summary.largest_absolute, std::abs(error));
  }
  return summary;
}

ValidationSummary summarize(const std::vector<ValidationRow>& rows) {
  std::vector<double> errors;
  errors.reserve(rows.size());
  for (const ValidationRow& row : rows) errors.push_back(row.error());
  return summary_of(errors);
}

const FigureResult* RunResult::find(FigureName figure) const {
  const auto found = std::find_if(figures.begin(), figures.end(),
                                  [&](const FigureResult& f) { return f.figure == figure; });
  return found == figures.end() ? nullptr : &*found;
}

bool TrendResult::holds() const { return std::abs(difference()) <= within; }

std::vector<ValidationRow> TableResult::rows() const {
  std::vector<ValidationRow> rows;
  rows.reserve(runs.size());
  for (const RunResult& run : runs) {
    const FigureResult* time = run.find(FigureName::step_time);
    if (time == nullptr) continue;
    rows.push_back({{document, spec.table, spec.group, spec.precision, spec.scenario, run.row,
                     time->printed, time->measured},
                    run.report.step_time_s});
  }
  return rows;
}

std::vector<ValidationRow> ValidationResult::rows() const {
  std::vector<ValidationRow> rows;
  for (const TableResult& table : tables) {
    if (!table.headline()) continue;
    for (ValidationRow& row : table.rows()) rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<double> TableResult::memory_errors() const {
  std::vector<double> errors;
  for (const RunResult& run : runs) {
    for (const FigureResult& figure : run.figures) {
      if (is_memory(figure.figure)) errors.push_back(figure.error());
    }
  }
  return errors;
}

std::vector<double> ValidationResult::memory_errors() const {
  std::vector<double> errors;
  for (const TableResult& table : tables) {
    for (const double error : table.memory_errors()) errors.push_back(error);
  }
  return errors;
}

ValidationResult validate_documents(const DataFolder& data, const std::string& path,
                                    const Watch& watch) {
  const DocumentedFile file = read_documented(path);
  std::size_t rows = 0;
  for (const Document& document : file.documents) {
    for (const DocumentedTable& table : document.tables) rows += table.rows.size();
  }
  std::size_t done = 0;
  const auto row_done = [&] {
    if (watch) watch(++done, rows);
  };
  ValidationResult result{file.name, file.bounds, {}, file.memory_bounds};
  for (const Document& document : file.documents) {
    for (const DocumentedTable& table : document.tables) {
      const auto source = ScenarioSource::from_file(file.scenario_path(data.root(), table));
      result.tables.push_back(validate_table(data, source, document.document, table, row_done));
    }
  }
  return result;
}

bool states_bounds(const ValidationResult& result) {
  const auto states = [](const TableResult& table) {
    const auto bounded = [](const FigureSpec& figure) { return figure.within.has_value(); };
    const std::vector<FigureSpec>& figures = table.spec.figures;
    return table.spec.bounds || table.trend || std::any_of(figures.begin(), figures.end(), bounded);
  };
  return result.bounds || result.memory_bounds ||
         std::any_of(result.tables.begin(), result.tables.end(), states);
}

std::vector<std::string> broken_bounds(const ValidationResult& result) {
  std::vector<std::string> broken;
  for (const TableResult& table : result.tables) check_table(table, broken);
  check_errors(result.name, summarize(result.rows()), result.bounds, broken);
  check_errors(result.name + ", memory", summary_of(result.memory_errors()), result.memory_bounds,
               broken);
  return broken;
}

}  // namespace simtrain
