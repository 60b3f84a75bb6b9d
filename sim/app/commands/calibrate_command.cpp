#include <algorithm>

#include "sim/app/arguments/validate_rows.h"
#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/output_files.h"
#include "sim/output/validation/calibration_report.h"

namespace simtrain {

namespace po = boost::program_options;

namespace {

constexpr std::array kCalibrateOptions{
    OptionRow{.name = "rows",
              .value = "NAME,...",
              .help = "groups (llama-70b) or tables (llama-70b:fp8); without it all"},
    OptionRow{.name = "parameters", .value = "FILE", .help = "another list of parameters"},
    format_option("json: the same and every row as simtrain.calibration/1"),
    OptionRow{.name = "write", .value = "FILE", .help = "the fitted values, whole or not at all"},
    going_with(with_help(kForceOption, "replaces a file that is there"), "write")};

constexpr std::array<std::span<const OptionRow>, 2> kOtherCalibrateOptions{kFitMachineOptions,
                                                                           kFitKernelsOptions};

bool asks_for(const CommandCall& call, const std::string& option) {
  return std::any_of(call.arguments.begin(), call.arguments.end(), [&](const std::string& word) {
    return word == option || word.starts_with(option + "=");
  });
}

CommandResult calibrate_command(const CommandCall& call) {
  if (asks_for(call, "--machine")) return calibrate_machine_command(call);
  if (asks_for(call, "--kernels")) return calibrate_kernels_command(call);
  const po::variables_map values =
      parse_options(call.arguments, joined(kCalibrateOptions, kFitModes));
  if (!plain_arguments(values).empty())
    throw InputError({}, "", "calibrate takes options only; 'simtrain help calibrate' shows them");
  const bool json = wants_json(values);
  const std::string folder = call.data.root() + "/validation/";
  const std::string parameters =
      option_value(values, "parameters").value_or(folder + "calibration.yaml");
  OutputFiles outputs(values);
  outputs.reads_hardware(call.data);
  outputs.reads("the list of parameters", parameters);
  outputs.reads("a file of validation", folder);
  outputs.reads("a scenario", call.data.root() + "/scenarios");
  outputs.writes("write", kYamlFile);
  outputs.start();
  std::vector<StepTime> rows = step_times(call.data, folder + "documented.yaml");
  if (const auto names = option_value(values, "rows")) rows = selected(rows, *names);
  const StepTimeFit fit(call.data, read_calibration(call.data, parameters).parameters,
                        std::move(rows), call.console.bar("evaluations"));
  const Calibration calibration = calibrate(fit);
  if (outputs.any()) outputs.write("write", calibration_yaml(calibration));
  return {json ? calibration_json(calibration) : calibration_text(calibration),
          calibration.converged ? 0 : 1, json};
}

}  // namespace

const CommandRow kCalibrateCommand{
    "calibrate",
    "fits parameters to documented runs",
    "simtrain calibrate",
    "Fits the parameters of validation/calibration.yaml to documented step times. Hardware files "
    "are not written. Exits with 1 where the fit does not converge.",
    calibrate_command,
    kCalibrateOptions,
    kOtherCalibrateOptions};

}  // namespace simtrain
