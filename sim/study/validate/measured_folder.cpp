#include "sim/study/validate/measured_folder.h"

#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/measured/run_metrics.h"
#include "sim/run/simulate.h"
#include "sim/study/validate/measured_pairs.h"

namespace simtrain {
namespace {

namespace fs = std::filesystem;

/// A log as a row of a table, and what speaks against it.
struct LogRow {
  DocumentedRow row;
  std::string caveat;
};

/// The step time as a figure of the log: the mean over its window.
LogRow figures_of(const MeasuredPair& pair, const LogRequest& request) {
  const MeasuredRun run = read_log_file(pair.log, request);
  const RunMetrics metrics = run_metrics(run, {});
  if (!metrics.step_time_s) throw InputError({pair.log}, "", metrics.why);
  LogRow result;
  DocumentedRow& row = result.row;
  row.row = pair.rest;
  row.column = fmt::format("{}, {}", fs::path(pair.log).filename().string(), describe(run.window));
  row.printed = {fmt::format("{:.6g}", metrics.step_time_s->mean)};
  row.values = {metrics.step_time_s->mean};
  if (metrics.status != RunStatus::success)
    result.caveat = fmt::format("{}: {}", name_of(metrics.status), metrics.why);
  return result;
}

/// The table of a scenario, without runs.
TableResult table_of(const fs::path& scenario) {
  TableResult result{scenario.parent_path().string(), {}, {}, std::nullopt};
  DocumentedTable& table = result.spec;
  table.table = scenario.stem().string();
  table.group = table.table;
  table.scenario = scenario.filename().string();
  table.figures.resize(1);
  table.figures.front().figure = FigureName::step_time;
  table.figures.front().kind = FigureKind::window_mean;
  table.figures.front().label = "step time";
  return result;
}

void add_run(const DataFolder& data, const MeasuredPair& pair, const LogRequest& request,
             TableResult& table) {
  const auto source = ScenarioSource::from_file(pair.scenario);
  const Scenario scenario = source.scenario(data, row_of(source, pair), {});
  table.spec.precision = scenario.recipe.training.precision;
  const auto [row, caveat] = figures_of(pair, request);
  Report report = simulate(scenario);
  std::vector<FigureResult> figures = compare_figures(table.spec, row, report);
  table.runs.push_back({row.row, row.column, std::move(figures), std::move(report), caveat});
}

}  // namespace

ValidationResult validate_folder(const DataFolder& data, const std::string& folder,
                                 const LogRequest& request, const Watch& watch) {
  ValidationResult result{folder, std::nullopt, {}};
  std::string last;
  const std::vector<MeasuredPair> pairs = measured_pairs(folder);
  for (const MeasuredPair& pair : pairs) {
    if (pair.scenario != last) result.tables.push_back(table_of(pair.scenario));
    last = pair.scenario;
    add_run(data, pair, request, result.tables.back());
    if (watch) watch(static_cast<std::size_t>(&pair - pairs.data()) + 1, pairs.size());
  }
  return result;
}

}  // namespace simtrain
