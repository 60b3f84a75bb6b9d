#include <cmath>

#include "sim/app/command.h"
#include "sim/app/options.h"
#include "sim/output/kernel_report.h"
#include "sim/output/nccl_validation_report.h"
#include "sim/output/validation_report.h"

namespace simtrain {

namespace po = boost::program_options;

namespace {

/// Bounds in percent where none is told: of step times, and of kernels.
constexpr double kStepBound = 6;
constexpr double kKernelBound = 8;

CommandResult compare_kernel_points(const DataFolder& data, const std::vector<std::string>& folders,
                                    double bound, bool json) {
  std::vector<KernelPoint> points;
  for (const std::string& folder : folders) {
    for (KernelPoint& point : load_kernel_points(folder)) points.push_back(std::move(point));
  }
  const std::vector<KernelComparison> comparisons = compare_kernels(data, std::move(points));
  const bool holds = summarize_fitted(comparisons).mean * 100 <= bound;
  return {json ? kernel_validation_json(comparisons) : kernel_validation_text(comparisons),
          holds ? 0 : 1};
}

}  // namespace

CommandResult validate_command(const CommandCall& call) {
  po::options_description options;
  options.add_options()("path", po::value<std::vector<std::string>>())(
      "format", po::value<std::string>()->default_value("text"))(
      "max-mean-error", po::value<double>())("nccl", po::bool_switch())(
      "kernels", po::bool_switch());
  const po::variables_map values = parse_options(call.arguments, options, "path");
  const bool json = wants_json(values);
  const bool kernels = values["kernels"].as<bool>();
  const double bound = values.count("max-mean-error") > 0 ? values["max-mean-error"].as<double>()
                                                          : (kernels ? kKernelBound : kStepBound);
  if (!(bound >= 0) || !std::isfinite(bound))
    throw InputError({}, "--max-mean-error", "must be a number of percent, 0 or more");
  if (values["nccl"].as<bool>()) {
    const std::vector<CurvePoint> points =
        validate_curves(call.data, call.data.root() + "/validation/nccl/curves.yaml");
    return {json ? nccl_validation_json(points) : nccl_validation_text(points), 0};
  }
  std::vector<std::string> paths{
      call.data.root() + (kernels ? "/hardware/measured/published" : "/validation/documented.yaml")};
  if (values.count("path") > 0) paths = values["path"].as<std::vector<std::string>>();
  if (kernels) return compare_kernel_points(call.data, paths, bound, json);
  std::vector<ValidationRow> rows;
  for (const std::string& path : paths) {
    for (ValidationRow& row : validate(call.data, path)) rows.push_back(std::move(row));
  }
  const bool holds = summarize(rows).mean_absolute * 100 <= bound;
  return {json ? validation_json(rows) : validation_text(rows), holds ? 0 : 1};
}

}  // namespace simtrain
