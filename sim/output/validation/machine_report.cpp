#include "sim/output/validation/machine_report.h"

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/output/text/json_parts.h"
#include "sim/output/text/wrapped_text.h"
#include "sim/study/validate/error_summary.h"

namespace simtrain {
namespace {

std::string value_text(double value, const std::string& unit) {
  return unit.empty() ? fmt::format("{:g}", value) : fmt::format("{:g} {}", value, unit);
}

std::string runs_line(std::string_view label, const std::vector<double>& errors) {
  const ErrorSummary summary = error_summary(errors);
  return fmt::format("  {:<34}mean {:.1f} %, 90 % within {:.1f} %, bias {:+.1f} %\n", label,
                     summary.mean * 100, summary.percentile_90 * 100, summary.bias * 100);
}

}  // namespace

std::string machine_text(const std::string& name, const MachineFit& fit) {
  std::string out =
      fmt::format("Machine {} ({}, {})\n\n  {:<40}{:>14}{:>16}{:>9}{:>8}\n", printable(name),
                  fit.node, fit.gpu, "value", "hardware file", "machine", "+- %", "points");
  for (const MachineFinding& one : fit.findings)
    out += fmt::format("  {:<40}{:>14}{:>16}{:>9.1f}{:>8}\n", one.key,
                       value_text(one.before, one.unit), value_text(one.value, one.unit),
                       one.standard_error * 100, one.points);
  if (!fit.runs_after.empty()) {
    out += fmt::format("\nTraining runs: {}\n", fit.runs_after.size());
    out += runs_line("with the hardware files", fit.runs_before);
    out += runs_line("with the machine", fit.runs_after);
  }
  out += fmt::format("\nStep times on it are known to {:.1f} %\n", fit.relative_error * 100);
  out += wrapped_line(fit.relative_error_source);
  return out;
}

std::string machine_json(const std::string& name, const MachineFit& fit) {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (const MachineFinding& one : fit.findings)
    values.push_back({{"key", one.key},
                      {"unit", one.unit},
                      {"before", one.before},
                      {"value", one.value},
                      {"standard_error", one.standard_error},
                      {"points", one.points},
                      {"source", one.source}});
  return json_text({{"schema", "simtrain.machine/1"},
                    {"name", name},
                    {"node", fit.node},
                    {"gpu", fit.gpu},
                    {"values", std::move(values)},
                    {"run_errors_before", fit.runs_before},
                    {"run_errors_after", fit.runs_after},
                    {"relative_error", fit.relative_error}});
}

std::string machine_yaml(const std::string& name, const MachineFit& fit) {
  const auto quoted = [](const std::string& text) { return nlohmann::json(text).dump(); };
  std::string out =
      fmt::format("name: {}\ndescription: {}\nnode: {}\nvalues:\n", quoted(name),
                  quoted(fmt::format("a machine of {} as it was measured", fit.node)), fit.node);
  for (const MachineFinding& one : fit.findings)
    out += fmt::format("  - key: {}\n    value: {}\n    source: {}\n", quoted(one.key),
                       value_text(one.value, one.unit), quoted(one.source));
  return out + fmt::format("relative_error: {{value: {:g}, source: {}}}\n", fit.relative_error,
                           quoted(fit.relative_error_source));
}

}  // namespace simtrain
