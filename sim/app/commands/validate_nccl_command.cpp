#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "sim/app/arguments/predicted_tests.h"
#include "sim/app/arguments/validate_rows.h"
#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/output_files.h"
#include "sim/output/nccl/nccl_tests_report.h"
#include "sim/output/nccl/nccl_validation_html.h"
#include "sim/output/nccl/nccl_validation_report.h"
#include "sim/study/validate/measured_pairs.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

/// What is only for the output of nccl-tests.
void refuse_log_options(const po::variables_map& values) {
  for (const char* option : {"cluster", "op", "gpus", "nodes", "software", "nccl-version", "algo",
                             "proto", "nvls", "min-channels", "max-channels"}) {
    if (values.count(option) > 0)
      throw InputError({}, std::string("--") + option,
                       "is for the output of nccl-tests; name such a file");
  }
}

/// Nothing is written yet.
OutputFiles outputs_beside(const CommandCall& call, const po::variables_map& values,
                           const std::vector<std::string>& paths) {
  OutputFiles outputs(values);
  outputs.reads_hardware(call.data);
  for (const std::string& path : paths) outputs.reads("a measured file", path);
  outputs.writes("report", kPageFile);
  outputs.start();
  return outputs;
}

CommandResult curves(const CommandCall& call, const po::variables_map& values,
                     const std::string& path) {
  const bool json = wants_json(values);
  const OutputFiles outputs = outputs_beside(call, values, {path});
  const std::vector<CurvePoint> points =
      validate_curves(call.data, path, call.console.bar("curves"));
  if (outputs.any()) outputs.write("report", nccl_validation_html(points));
  return {json ? nccl_validation_json(points) : nccl_validation_text(points), 0, json};
}

CommandResult nccl_tests(const CommandCall& call, const po::variables_map& values,
                         const std::vector<std::string>& paths) {
  const bool json = wants_json(values);
  const OutputFiles outputs = outputs_beside(call, values, paths);
  std::vector<NcclTestsLog> logs;
  std::vector<PredictedTest> tests;
  for (const std::string& path : paths) {
    logs.push_back(read_nccl_tests_file(path));
    std::vector<PredictedTest> predicted = predicted_tests(call, values, logs.back());
    std::move(predicted.begin(), predicted.end(), std::back_inserter(tests));
  }
  if (outputs.any()) outputs.write("report", nccl_tests_html(tests, logs));
  return {json ? nccl_tests_json(tests, logs) : nccl_tests_text(tests, logs), 0, json};
}

}  // namespace

CommandResult validate_nccl_command(const CommandCall& call) {
  const po::variables_map values = parse_options(call.arguments, kNcclModeOptions);
  const std::vector<std::string> paths = plain_arguments(values);
  const auto is_yaml = [](const std::string& path) { return is_scenario_path(path); };
  if (paths.empty() || (paths.size() == 1 && is_yaml(paths.front()))) {
    refuse_log_options(values);
    return curves(
        call, values,
        paths.empty() ? call.data.root() + "/validation/nccl/curves.yaml" : paths.front());
  }
  if (std::any_of(paths.begin(), paths.end(), is_yaml))
    throw InputError({}, "--nccl", "takes one file of curves (.yaml), or output of nccl-tests");
  return nccl_tests(call, values, paths);
}

}  // namespace simtrain
