#include "sim/app/arguments/validate_rows.h"
#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/core/input/yaml_reader.h"
#include "sim/output/validation/left_out_report.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

std::vector<LeftOut> left_out_kinds(const po::variables_map& values) {
  if (values.count("by") == 0) return {LeftOut::group, LeftOut::table};
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = values["by"].as<std::string>();
  LeftOut what{};
  yaml_detail::read_value(node, "--by", what);
  return {what};
}

}  // namespace

CommandResult leave_out_command(const CommandCall& call) {
  const po::variables_map values = parse_options(call.arguments, kLeaveOutOptions);
  if (!plain_arguments(values).empty())
    throw InputError({}, "", "--leave-one-table-out takes no files; it uses those of validation/");
  const bool json = wants_json(values);
  const std::vector<LeftOut> kinds = left_out_kinds(values);
  const std::string folder = call.data.root() + "/validation/";
  const CalibrationSpec spec = read_calibration(
      call.data, option_value(values, "parameters").value_or(folder + "calibration.yaml"));
  const double mean =
      percent_option(values, "max-mean-error").value_or(spec.left_out_bounds.mean.fraction);
  const double most =
      percent_option(values, "max-error").value_or(spec.left_out_bounds.max.fraction);
  const std::vector<StepTime> rows = step_times(call.data, folder + "documented.yaml");
  std::size_t fits = 0;
  for (const LeftOut what : kinds) fits += names_of(rows, what).size();
  const StepTimeFit fit(call.data, spec.parameters, rows, call.console.bar("evaluations"), fits);
  const SlopedFit all = fit_all(fit, fit.start());
  LeftOutResults results;
  bool holds = true;
  for (const LeftOut what : kinds) {
    results.emplace_back(what, leave_out(fit, all, what));
    const ValidationSummary errors = summarize(results.back().second).errors;
    holds = holds && errors.mean_absolute <= mean && errors.largest_absolute <= most;
  }
  return {json ? left_out_json(results) : left_out_text(results), holds ? 0 : 1, json};
}

}  // namespace simtrain
