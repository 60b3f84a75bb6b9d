#include "sim/output/validation/kernel_fit_report.h"

#include <cmath>

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/output/text/json_parts.h"

namespace simtrain {
namespace {

std::string errors_line(std::string_view shape, const ErrorSummary& errors) {
  return fmt::format("    {:<28}{:>7}{:>8.1f}{:>8.1f}{:>8.1f}{:>+8.1f}\n", shape, errors.points,
                     errors.mean * 100, errors.median * 100, errors.percentile_90 * 100,
                     errors.bias * 100);
}

std::string spread(const FittedKernelParameter& parameter) {
  if (parameter.at_limit) return "at its limit";
  if (!std::isfinite(parameter.standard_error)) return "undetermined";
  return fmt::format("+- {:.2g}", parameter.standard_error);
}

std::string text_of(const KernelFit& fit) {
  std::string out = fmt::format("\n{} {}{}\n", name_of(fit.family), printable(fit.variant),
                                fit.converged ? "" : " (the fit did not settle)");
  for (const FittedKernelParameter& one : fit.parameters) {
    out += fmt::format("    {:<28}{:>9.4g} {:<12} {:<8} now {:.4g}\n", one.name, one.value,
                       spread(one), one.unit, one.in_file);
  }
  out += fmt::format("    {:<28}{:>7}{:>8}{:>8}{:>8}{:>8}\n", "left out, errors in %", "points",
                     "mean", "median", "90 %", "bias");
  for (const LeftOutErrors& one : fit.left_out) out += errors_line(one.shape, one.errors);
  return out + errors_line("(fitted)", fit.fitted);
}

nlohmann::ordered_json json_of(const KernelFit& fit) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
  for (const FittedKernelParameter& one : fit.parameters) {
    parameters.push_back({{"name", one.name},
                          {"value", one.value},
                          {"standard_error", one.standard_error},
                          {"at_limit", one.at_limit},
                          {"unit", one.unit},
                          {"in_file", one.in_file}});
  }
  nlohmann::ordered_json left_out = nlohmann::ordered_json::array();
  for (const LeftOutErrors& one : fit.left_out)
    left_out.push_back({{"shape", one.shape}, {"errors", json_of(one.errors)}});
  return {{"family", name_of(fit.family)}, {"variant", fit.variant},
          {"converged", fit.converged},    {"parameters", parameters},
          {"left_out", left_out},          {"fitted", json_of(fit.fitted)}};
}

}  // namespace

std::string kernel_fit_text(const std::string& gpu, const std::vector<KernelFit>& fits) {
  std::string out = fmt::format("Kernel parameters of {} fitted to measured points\n", gpu);
  for (const KernelFit& fit : fits) out += text_of(fit);
  return out;
}

std::string kernel_fit_json(const std::string& gpu, const std::vector<KernelFit>& fits) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const KernelFit& fit : fits) rows.push_back(json_of(fit));
  return json_text({{"schema", "simtrain.kernel-fit/1"}, {"gpu", gpu}, {"fits", rows}});
}

}  // namespace simtrain
