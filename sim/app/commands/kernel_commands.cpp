#include "sim/app/arguments/validate_rows.h"
#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/output/validation/kernel_fit_report.h"
#include "sim/output/validation/kernel_report.h"
#include "sim/topology/specs/gpu_fields.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

/// The folder named, or that of the published points.
std::string folder_of(const DataFolder& data, const po::variables_map& values) {
  const std::vector<std::string> folders = plain_arguments(values);
  if (folders.empty()) return data.root() + "/hardware/measured/published";
  if (folders.size() > 1) throw InputError({folders[1]}, "", "is one folder too many; name one");
  return folders[0];
}

}  // namespace

CommandResult validate_kernels_command(const CommandCall& call) {
  const po::variables_map values = parse_options(call.arguments, kKernelsOptions);
  const bool json = wants_json(values);
  const double bound = *percent_option(values, "max-mean-error");  // has a default
  const std::string folder = folder_of(call.data, values);
  const std::vector<KernelComparison> comparisons =
      compare_kernels(call.data, load_kernel_points(folder));
  const ErrorSummary errors = summarize_fitted(comparisons);
  if (errors.points == 0) {
    throw InputError({folder}, "",
                     "holds no point that simtrain predicts and that may set parameters, so the "
                     "bound shows nothing; see hardware/measured/README.md");
  }
  const bool holds = errors.mean <= bound;
  return {json ? kernel_validation_json(comparisons) : kernel_validation_text(comparisons),
          holds ? 0 : 1, json};
}

CommandResult calibrate_kernels_command(const CommandCall& call) {
  const po::variables_map values = parse_options(call.arguments, kFitKernelsOptions);
  const bool json = wants_json(values);
  if (values.count("gpu") == 0)
    throw InputError({}, "--gpu", "is missing; name one of 'simtrain list gpus'");
  const auto name = values["gpu"].as<std::string>();
  const auto gpu = call.data.load<GpuSpec>("hardware/gpus", name, {}, "--gpu");
  const std::vector<KernelFit> fits =
      fit_kernels(gpu, load_kernel_points(folder_of(call.data, values)), call.console.bar("fits"));
  if (fits.empty())
    throw InputError({}, "--gpu", "has too few points of '" + name + "' to fit any parameter");
  return {json ? kernel_fit_json(name, fits) : kernel_fit_text(name, fits), 0, json};
}

}  // namespace simtrain
