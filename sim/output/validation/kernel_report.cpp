#include "sim/output/validation/kernel_report.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/output/text/json_parts.h"

namespace simtrain {
namespace {

std::string line(std::string_view variant, std::string_view shape, const ErrorSummary& errors) {
  return fmt::format("{:<27}{:<24}{:>6}{:>5.1f}{:>7.1f}{:>5.1f}{:>+6.1f}\n", variant, shape,
                     errors.points, errors.mean * 100, errors.median * 100,
                     errors.percentile_90 * 100, errors.bias * 100);
}

std::string not_predicted(const std::vector<KernelGroup>& groups) {
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  for (const KernelGroup& group : groups) {
    if (group.not_predicted > 0) counts[{group.gpu, group.variant}] += group.not_predicted;
  }
  std::string out;
  for (const auto& [key, count] : counts)
    out += fmt::format("  {:<16}{:<45}{:>7}\n", printable(key.first), printable(key.second), count);
  if (out.empty()) return out;
  return "\nPoints of GPUs, data types and implementations that simtrain does not have\n\n" + out;
}

}  // namespace

std::string kernel_validation_text(const std::vector<KernelComparison>& comparisons) {
  const std::vector<KernelGroup> groups = group_kernels(comparisons);
  std::string out =
      "Measured kernels against predictions; errors are predicted over measured time,\n"
      "less one, in %\n";
  std::string title;
  for (const KernelGroup& group : groups) {
    if (group.errors.points == 0) continue;
    std::string own = fmt::format("{} on {}", name_of(group.family), printable(group.gpu));
    if (own != title) {
      title = std::move(own);
      out += fmt::format("\n{:<27}{:<24}{:>6}{:>5}{:>7}{:>5}{:>6}\n", title, "shapes", "points",
                         "mean", "median", "90 %", "bias");
    }
    out += line(printable(group.variant), group.shape, group.errors);
  }
  out += "\n" + line("all that may set parameters", "", summarize_fitted(comparisons));
  return out + not_predicted(groups);
}

std::string kernel_validation_json(const std::vector<KernelComparison>& comparisons) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const KernelGroup& group : group_kernels(comparisons)) {
    rows.push_back({{"family", name_of(group.family)},
                    {"gpu", group.gpu},
                    {"variant", group.variant},
                    {"shape", group.shape},
                    {"errors", json_of(group.errors)},
                    {"not_predicted", group.not_predicted}});
  }
  return json_text({{"schema", "simtrain.kernel-validation/1"},
                    {"groups", rows},
                    {"fitted", json_of(summarize_fitted(comparisons))}});
}

}  // namespace simtrain
