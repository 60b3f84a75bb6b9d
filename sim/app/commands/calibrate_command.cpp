#include <algorithm>

#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/output_files.h"
#include "sim/output/validation/calibration_report.h"

namespace simtrain {

namespace po = boost::program_options;

namespace {

constexpr std::string_view kHelp =
    "simtrain calibrate [--rows NAME,...] [--parameters FILE] [--format text|json]\n"
    "                   [--write FILE [--force]]\n"
    "simtrain calibrate --kernels [FOLDER] --gpu NAME [--format text|json]\n\n"
    "  Fits the parameters of validation/calibration.yaml to documented step times.\n"
    "  Hardware files are not written. Exits with 1 where the fit does not converge.\n\n"
    "  --kernels         fits the kernel parameters of a GPU to measured kernels\n"
    "                    instead (FOLDER as in 'simtrain help validate'), beside the\n"
    "                    errors on left-out shapes; json as simtrain.kernel-fit/1\n"
    "  --gpu NAME        a name in hardware/gpus; with --kernels\n"
    "  --rows NAME,...   groups (llama-70b) or tables (llama-70b:fp8); without it all\n"
    "  --parameters FILE another list of parameters\n"
    "  --format json     the same and every row as simtrain.calibration/1\n"
    "  --write FILE      the fitted values, whole or not at all; --force replaces one\n"
    "                    that is there\n";

CommandResult calibrate_command(const CommandCall& call) {
  if (std::count(call.arguments.begin(), call.arguments.end(), "--kernels") > 0)
    return calibrate_kernels_command(call);
  po::options_description options;
  options.add_options()("path", po::value<std::vector<std::string>>())(
      "parameters", po::value<std::string>())("rows", po::value<std::string>())(
      "format", po::value<std::string>()->default_value("text"))("write", po::value<std::string>())(
      "force", po::bool_switch())("kernels", po::bool_switch());
  const po::variables_map values = parse_options(call.arguments, options, "path");
  if (values.count("path") > 0)
    throw InputError({}, "", "calibrate takes options only; 'simtrain help calibrate' shows them");
  const bool json = wants_json(values);
  const std::string folder = call.data.root() + "/validation/";
  const std::string parameters = values.count("parameters") > 0
                                     ? values["parameters"].as<std::string>()
                                     : folder + "calibration.yaml";
  OutputFiles outputs(values);
  outputs.reads_hardware(call.data);
  outputs.reads("the list of parameters", parameters);
  outputs.reads("a file of validation", folder);
  outputs.reads("a scenario", call.data.root() + "/scenarios");
  outputs.writes("write", kYamlFile);
  outputs.start();
  std::vector<StepTime> rows = step_times(call.data, folder + "documented.yaml");
  if (values.count("rows") > 0) rows = selected(rows, values["rows"].as<std::string>());
  const StepTimeFit fit(call.data, read_calibration(call.data, parameters).parameters,
                        std::move(rows), call.console.bar("evaluations"));
  const Calibration calibration = calibrate(fit);
  if (outputs.any()) outputs.write("write", calibration_yaml(calibration));
  return {json ? calibration_json(calibration) : calibration_text(calibration),
          calibration.converged ? 0 : 1, json};
}

}  // namespace

const CommandRow kCalibrateCommand{"calibrate", kHelp, "fits parameters to documented runs",
                                   "simtrain calibrate", calibrate_command};

}  // namespace simtrain
