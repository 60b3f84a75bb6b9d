#include "sim/output/validation/calibration_report.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/output/text/json_parts.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

/// "llama-70b:fp8", in the order of the rows, and the rows of each before and after.
struct Series {
  std::string name;
  std::vector<ValidationRow> before;
  std::vector<ValidationRow> after;
};

std::vector<Series> series_of(const Calibration& calibration) {
  std::vector<Series> result;
  for (std::size_t i = 0; i < calibration.after.size(); ++i) {
    const ValidationRow& row = calibration.after[i];
    const std::string name = row.series();
    auto series =
        std::find_if(result.begin(), result.end(), [&](const Series& s) { return s.name == name; });
    if (series == result.end()) series = result.insert(series, Series{name, {}, {}});
    series->before.push_back(calibration.before[i]);
    series->after.push_back(row);
  }
  return result;
}

std::string values_text(const Calibration& calibration) {
  std::string out = fmt::format("  {:<25}{:>11}{:>11}{:>11}{:>11}  {}\n", "parameter", "value",
                                "std error", "prior", "std error", "unit");
  for (std::size_t j = 0; j < calibration.values.size(); ++j) {
    const FittedParameter& parameter = calibration.parameters[j];
    out +=
        fmt::format("  {:<25}{:>11.5g}{:>11.3g}{:>11.5g}{:>11.3g}  {}\n", printable(parameter.name),
                    calibration.values[j], calibration.standard_errors[j], parameter.prior.value,
                    parameter.prior.standard_error, printable(parameter.unit));
    if (calibration.at_end(j))
      out += fmt::format("  {:<25}  at an end of its range, {} to {}\n", "", parameter.range[0],
                         parameter.range[1]);
  }
  return out;
}

std::string correlation_text(const Calibration& calibration) {
  const std::size_t n = calibration.values.size();
  std::string out = "\nCorrelation\n";
  for (std::size_t j = 0; j < n; ++j) {
    out += fmt::format("  {:<26}", printable(calibration.parameters[j].name));
    for (std::size_t k = 0; k <= j; ++k)
      out += fmt::format("{:>6.2f}", calibration.correlation[j * n + k]);
    out += "\n";
  }
  return out;
}

void add_errors(std::string& out, const std::string& name, const ValidationSummary& before,
                const ValidationSummary& after) {
  out += fmt::format(
      "  {:<24}{:>4}{:>7.2f} %{:>6.2f} %{:>+6.2f} %{:>7.2f} %{:>6.2f} %{:>+6.2f} %\n",
      printable(name), after.rows, before.mean_absolute * 100, before.largest_absolute * 100,
      before.bias * 100, after.mean_absolute * 100, after.largest_absolute * 100, after.bias * 100);
}

Json parameter_json(const Calibration& calibration, std::size_t j) {
  const FittedParameter& parameter = calibration.parameters[j];
  Json sets = Json::array();
  for (const ParameterKey& key : parameter.sets)
    sets.push_back({{"file", key.file}, {"key", key.key}});
  return {{"name", parameter.name},
          {"meaning", parameter.meaning},
          {"unit", parameter.unit},
          {"value", calibration.values[j]},
          {"standard_error", calibration.standard_errors[j]},
          {"at_end_of_range", calibration.at_end(j)},
          {"before", parameter.current},
          {"prior",
           {{"value", parameter.prior.value},
            {"standard_error", parameter.prior.standard_error},
            {"source", parameter.prior.source}}},
          {"range", parameter.range},
          {"sets", std::move(sets)}};
}

Json rows_json(const Calibration& calibration) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < calibration.after.size(); ++i) {
    const ValidationRow& row = calibration.after[i];
    rows.push_back({{"table", row.series()},
                    {"document", row.document},
                    {"scenario", row.scenario},
                    {"row", row.row},
                    {"measured_s", row.measured_s},
                    {"before_s", calibration.before[i].predicted_s},
                    {"after_s", row.predicted_s},
                    {"error_before", calibration.before[i].error()},
                    {"error_after", row.error()}});
  }
  return rows;
}

}  // namespace

std::string calibration_text(const Calibration& calibration) {
  const std::vector<Series> series = series_of(calibration);
  std::string out = fmt::format("{} parameters fitted to {} step times of {} tables\n\n",
                                calibration.values.size(), calibration.after.size(), series.size());
  out += values_text(calibration) + correlation_text(calibration);
  out += fmt::format("\n  {:<28}{:>25}{:>25}\n", "Errors", "before (hardware files)",
                     "after (fitted values)");
  out += fmt::format("  {:<24}{:>4}{:>9}{:>8}{:>8}{:>9}{:>8}{:>8}\n", "table", "rows", "mean",
                     "max", "bias", "mean", "max", "bias");
  for (const Series& each : series)
    add_errors(out, each.name, summarize(each.before), summarize(each.after));
  add_errors(out, "all", summarize(calibration.before), summarize(calibration.after));
  out += fmt::format("\nWhat no value removes: {:.2f} % (standard deviation of a table)\n",
                     calibration.discrepancy * 100);
  if (!calibration.converged) out += "Not converged: the last steps still moved the values\n";
  return out;
}

std::string calibration_json(const Calibration& calibration) {
  const std::size_t n = calibration.values.size();
  Json parameters = Json::array();
  Json correlation = Json::array();
  for (std::size_t j = 0; j < n; ++j) {
    parameters.push_back(parameter_json(calibration, j));
    const auto row = calibration.correlation.begin() + static_cast<std::ptrdiff_t>(j * n);
    correlation.push_back(std::vector<double>(row, row + static_cast<std::ptrdiff_t>(n)));
  }
  const Json json{{"schema", "simtrain.calibration/1"},
                  {"converged", calibration.converged},
                  {"discrepancy", calibration.discrepancy},
                  {"parameters", std::move(parameters)},
                  {"correlation", std::move(correlation)},
                  {"before", summary_json(summarize(calibration.before))},
                  {"after", summary_json(summarize(calibration.after))},
                  {"rows", rows_json(calibration)}};
  return json_text(json);
}

std::string calibration_yaml(const Calibration& calibration) {
  std::string out = fmt::format(
      "# simtrain calibrate: {} parameters fitted to {} step times of {} tables\n",
      calibration.values.size(), calibration.after.size(), series_of(calibration).size());
  out += "parameters:\n";
  for (std::size_t j = 0; j < calibration.values.size(); ++j) {
    const FittedParameter& parameter = calibration.parameters[j];
    const std::string unit = parameter.unit.empty() ? "" : " " + parameter.unit;
    out +=
        fmt::format("  - name: {}\n    value: {:.6g}{}\n    standard_error: {:.3g}{}\n    sets:\n",
                    Json(parameter.name).dump(), calibration.values[j], unit,
                    calibration.standard_errors[j], unit);
    for (const ParameterKey& key : parameter.sets)
      out += fmt::format("      - {{file: {}, key: {}}}\n", Json(key.file).dump(),
                         Json(key.key).dump());
  }
  return out;
}

}  // namespace simtrain
