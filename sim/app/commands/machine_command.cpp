#include "sim/app/arguments/predicted_tests.h"
#include "sim/app/arguments/validate_rows.h"
#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/output_files.h"
#include "sim/output/validation/machine_report.h"
#include "sim/study/machine/machine_fit.h"
#include "sim/study/validate/measured_folder.h"
#include "sim/topology/specs/cluster_fields.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

MachineEvidence evidence_of(const CommandCall& call, const po::variables_map& values) {
  MachineEvidence evidence;
  if (const auto folder = option_value(values, "kernels"))
    evidence.kernels = load_kernel_points(*folder);
  for (const std::string& path : option_values(values, "nccl")) {
    std::vector<PredictedTest> tests = predicted_tests(call, values, read_nccl_tests_file(path));
    std::move(tests.begin(), tests.end(), std::back_inserter(evidence.nccl));
  }
  if (const auto folder = option_value(values, "runs"))
    evidence.runs = [folder](const DataFolder& data) {
      std::vector<double> errors;
      for (const ValidationRow& row : validate_folder(data, *folder, {}).rows())
        errors.push_back(row.error());
      return errors;
    };
  return evidence;
}

}  // namespace

CommandResult calibrate_machine_command(const CommandCall& call) {
  const po::variables_map values = parse_options(call.arguments, kFitMachineOptions);
  if (!plain_arguments(values).empty())
    throw InputError({}, "", "calibrate --machine takes options only");
  for (const char* needed : {"machine", "cluster"}) {
    if (values.count(needed) == 0) throw InputError({}, std::string("--") + needed, "is missing");
  }
  if (values.count("kernels") + values.count("nccl") + values.count("runs") == 0)
    throw InputError({}, "calibrate --machine",
                     "needs something measured on it: --kernels, --nccl or --runs");
  const bool json = wants_json(values);
  const auto name = values["machine"].as<std::string>();
  const auto cluster = values["cluster"].as<std::string>();
  static_cast<void>(call.data.load<ClusterFile>("hardware/clusters", cluster, {}, "--cluster"));
  OutputFiles outputs(values);
  outputs.reads_hardware(call.data);
  for (const char* option : {"kernels", "runs"}) {
    if (const auto folder = option_value(values, option))
      outputs.reads("what was measured", *folder);
  }
  for (const std::string& log : option_values(values, "nccl")) outputs.reads("a log", log);
  outputs.writes("write", kYamlFile);
  outputs.start();
  const MachineFit fit = fit_machine(call.data, cluster, evidence_of(call, values));
  if (outputs.any()) outputs.write("write", machine_yaml(name, fit));
  return {json ? machine_json(name, fit) : machine_text(name, fit), 0, json};
}

}  // namespace simtrain
