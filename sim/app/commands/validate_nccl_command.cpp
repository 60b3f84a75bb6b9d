#include <algorithm>

#include <fmt/format.h>

#include "sim/app/arguments/predicted_tests.h"
#include "sim/app/arguments/validate_rows.h"
#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/output/nccl/nccl_tests_report.h"
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

CommandResult curves(const CommandCall& call, const std::string& path, bool json) {
  const std::vector<CurvePoint> points =
      validate_curves(call.data, path, call.console.bar("curves"));
  return {json ? nccl_validation_json(points) : nccl_validation_text(points), 0, json};
}

}  // namespace

CommandResult validate_nccl_command(const CommandCall& call) {
  const po::variables_map values = parse_options(call.arguments, kNcclModeOptions);
  const bool json = wants_json(values);
  const std::vector<std::string> paths = plain_arguments(values);
  const auto is_yaml = [](const std::string& path) { return is_scenario_path(path); };
  if (paths.empty() || (paths.size() == 1 && is_yaml(paths.front()))) {
    refuse_log_options(values);
    return curves(call,
                  paths.empty() ? call.data.root() + "/validation/nccl/curves.yaml" : paths.front(),
                  json);
  }
  if (std::any_of(paths.begin(), paths.end(), is_yaml))
    throw InputError({}, "--nccl", "takes one file of curves (.yaml), or output of nccl-tests");
  std::vector<NcclTestsLog> logs;
  std::vector<PredictedTest> tests;
  for (const std::string& path : paths) {
    logs.push_back(read_nccl_tests_file(path));
    std::vector<PredictedTest> predicted = predicted_tests(call, values, logs.back());
    std::move(predicted.begin(), predicted.end(), std::back_inserter(tests));
  }
  return {json ? nccl_tests_json(tests, logs) : nccl_tests_text(tests, logs), 0, json};
}

}  // namespace simtrain
