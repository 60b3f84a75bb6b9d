#include <algorithm>
#include <cmath>

#include "sim/app/command.h"
#include "sim/app/options.h"
#include "sim/output/nccl_validation_report.h"
#include "sim/output/validation_report.h"

namespace simtrain {

namespace po = boost::program_options;

CommandResult validate_command(const CommandCall& call) {
  constexpr std::string_view kLeaveOut = "--leave-one-table-out";
  if (std::count(call.arguments.begin(), call.arguments.end(), kLeaveOut) > 0)
    return leave_out_command(call);
  if (std::count(call.arguments.begin(), call.arguments.end(), "--kernels") > 0)
    return validate_kernels_command(call);
  po::options_description options;
  options.add_options()("path", po::value<std::vector<std::string>>())(
      "format", po::value<std::string>()->default_value("text"))(
      "max-mean-error", po::value<double>()->default_value(6.0))("nccl", po::bool_switch())(
      "leave-one-table-out", po::bool_switch())("kernels", po::bool_switch());
  const po::variables_map values = parse_options(call.arguments, options, "path");
  const bool json = wants_json(values);
  const double bound = values["max-mean-error"].as<double>();
  if (!(bound >= 0) || !std::isfinite(bound))
    throw InputError({}, "--max-mean-error", "must be a number of percent, 0 or more");
  if (values["nccl"].as<bool>()) {
    const std::vector<CurvePoint> points =
        validate_curves(call.data, call.data.root() + "/validation/nccl/curves.yaml");
    return {json ? nccl_validation_json(points) : nccl_validation_text(points), 0};
  }
  std::vector<std::string> paths{call.data.root() + "/validation/documented.yaml"};
  if (values.count("path") > 0) paths = values["path"].as<std::vector<std::string>>();
  std::vector<ValidationRow> rows;
  for (const std::string& path : paths) {
    for (ValidationRow& row : validate(call.data, path)) rows.push_back(std::move(row));
  }
  const bool holds = summarize(rows).mean_absolute * 100 <= bound;
  return {json ? validation_json(rows) : validation_text(rows), holds ? 0 : 1};
}

}  // namespace simtrain
