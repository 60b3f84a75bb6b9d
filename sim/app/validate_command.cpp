#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/options.h"
#include "sim/core/text_file.h"
#include "sim/output/nccl_validation_report.h"
#include "sim/output/validation_html.h"
#include "sim/output/validation_report.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

CommandResult validate_nccl(const CommandCall& call, const po::variables_map& values, bool json) {
  for (const char* option : {"path", "max-mean-error", "report"}) {
    if (values.count(option) > 0)
      throw InputError({}, "--nccl", fmt::format("goes with --format alone, found {}", option));
  }
  if (values["breakdown"].as<bool>())
    throw InputError({}, "--nccl", "goes with --format alone, found breakdown");
  const std::vector<CurvePoint> points =
      validate_curves(call.data, call.data.root() + "/validation/nccl/curves.yaml");
  return {json ? nccl_validation_json(points) : nccl_validation_text(points), 0};
}

std::vector<ValidationResult> validate_files(const CommandCall& call,
                                             const po::variables_map& values) {
  std::vector<std::string> paths{call.data.root() + "/validation/documented.yaml",
                                 call.data.root() + "/validation/memory.yaml"};
  if (values.count("path") > 0) paths = values["path"].as<std::vector<std::string>>();
  std::vector<ValidationResult> results;
  results.reserve(paths.size());
  for (const std::string& path : paths) results.push_back(validate_documents(call.data, path));
  return results;
}

/// Replaces the mean bound that the files state for all of their rows.
void set_mean_bound(double percent, std::vector<ValidationResult>& results) {
  if (!(percent >= 0) || !std::isfinite(percent))
    throw InputError({}, "--max-mean-error", "must be a number of percent, 0 or more");
  for (ValidationResult& result : results) {
    if (!result.bounds) result.bounds = ErrorBounds{{}, {std::numeric_limits<double>::infinity()}};
    result.bounds->mean.fraction = percent / 100;
  }
}

}  // namespace

CommandResult validate_command(const CommandCall& call) {
  constexpr std::string_view kLeaveOut = "--leave-one-table-out";
  if (std::count(call.arguments.begin(), call.arguments.end(), kLeaveOut) > 0)
    return leave_out_command(call);
  if (std::count(call.arguments.begin(), call.arguments.end(), "--kernels") > 0)
    return validate_kernels_command(call);
  po::options_description options;
  auto add = options.add_options();
  add("path", po::value<std::vector<std::string>>());
  add("format", po::value<std::string>()->default_value("text"));
  add("max-mean-error", po::value<double>());
  add("breakdown", po::bool_switch());
  add("report", po::value<std::string>());
  add("nccl", po::bool_switch());
  add("leave-one-table-out", po::bool_switch());  // named here for "did you mean"
  add("kernels", po::bool_switch());
  const po::variables_map values = parse_options(call.arguments, options, "path");
  const bool json = wants_json(values);
  if (values["nccl"].as<bool>()) return validate_nccl(call, values, json);
  std::vector<ValidationResult> results = validate_files(call, values);
  if (values.count("max-mean-error") > 0)
    set_mean_bound(values["max-mean-error"].as<double>(), results);
  if (values.count("report") > 0)
    write_text_file(values["report"].as<std::string>(), validation_html(results), true);
  const bool holds = std::all_of(results.begin(), results.end(), [](const ValidationResult& r) {
    return broken_bounds(r).empty();
  });
  return {
      json ? validation_json(results) : validation_text(results, values["breakdown"].as<bool>()),
      holds ? 0 : 1};
}

}  // namespace simtrain
