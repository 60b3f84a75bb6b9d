#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>

#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/output_files.h"
#include "sim/output/validation/validation_html.h"
#include "sim/output/validation/validation_report.h"
#include "sim/study/validate/measured_folder.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

std::vector<std::string> paths_of(const CommandCall& call, const po::variables_map& values) {
  if (values.count("path") > 0) return values["path"].as<std::vector<std::string>>();
  return {call.data.root() + "/validation/documented.yaml",
          call.data.root() + "/validation/memory.yaml"};
}

OutputFiles outputs_of(const CommandCall& call, const po::variables_map& values) {
  OutputFiles outputs(values);
  outputs.reads_hardware(call.data);
  for (const std::string& path : paths_of(call, values)) outputs.reads("a file to validate", path);
  outputs.reads("a scenario", call.data.root() + "/scenarios");
  outputs.writes("report", kPageFile);
  return outputs;
}

std::vector<ValidationResult> validate_paths(const CommandCall& call,
                                             const po::variables_map& values) {
  const std::vector<std::string> paths = paths_of(call, values);
  const LogRequest request = log_request(values);
  const auto is_folder = [](const std::string& path) {
    std::error_code error;
    return std::filesystem::is_directory(path, error);
  };
  if (std::none_of(paths.begin(), paths.end(), is_folder)) {
    for (const char* option : {"steps", "log-format"}) {
      if (values.count(option) > 0)
        throw InputError({}, std::string("--") + option, "is for the logs of a folder of runs");
    }
  }
  std::vector<ValidationResult> results;
  results.reserve(paths.size());
  for (const std::string& path : paths) {
    const Watch bar = call.console.bar("runs");
    results.push_back(is_folder(path) ? validate_folder(call.data, path, request, bar)
                                      : validate_documents(call.data, path, bar));
  }
  return results;
}

/// Replaces the mean bound that the files state for all of their rows.
void set_mean_bound(double fraction, std::vector<ValidationResult>& results) {
  for (ValidationResult& result : results) {
    if (!result.bounds) result.bounds = ErrorBounds{{}, {std::numeric_limits<double>::infinity()}};
    result.bounds->mean.fraction = fraction;
  }
}

constexpr std::string_view kHelp =
    "simtrain validate [FILE|FOLDER]... [--format text|json] [--breakdown]\n"
    "                  [--report FILE.html [--force]] [--max-mean-error PERCENT]\n"
    "                  [--steps WINDOW] [--log-format NAME]\n"
    "simtrain validate --nccl [LOG... --cluster NAME [--nodes N] [--gpus N] [--op OP]\n"
    "                  [--software NAME] [--nccl-version V] [--nvls true|false]\n"
    "                  [--algo A,...] [--proto P,...]] [--format text|json]\n"
    "simtrain validate --leave-one-table-out [--by group|table] [--parameters FILE]\n"
    "                  [--format text|json] [--max-mean-error PERCENT]\n"
    "                  [--max-error PERCENT]\n"
    "simtrain validate --kernels [FOLDER] [--format text|json]\n"
    "                  [--max-mean-error PERCENT]\n\n"
    "  Compares predictions with what documents print about runs; exits with 1 where\n"
    "  a bound that the files state is broken (docs/validation.md). A FOLDER holds\n"
    "  runs of one's own: NAME.yaml is a scenario, NAME.log, or NAME.ROW.log where it\n"
    "  has a table, a training log of it.\n\n"
    "  --report FILE     writes all of it as one HTML page that needs no other file;\n"
    "                    --force replaces one that is no page of simtrain\n"
    "  --breakdown       where the step of each row goes\n"
    "  --max-mean-error  in place of the files' bound on the mean absolute error of\n"
    "                    all rows\n"
    "  --steps, --log-format\n"
    "                    of the logs of a FOLDER, as for 'simtrain metrics'\n"
    "  --nccl            compares with measured NCCL calls (validation/nccl) instead;\n"
    "                    with LOG, output of nccl-tests (all_reduce_perf ...), with\n"
    "                    that: size by size, predicted for --cluster; --nodes, --gpus\n"
    "                    and --op count more than what the log says, the others are\n"
    "                    as for 'simtrain nccl'\n"
    "  --leave-one-table-out\n"
    "                    each group of tables, and each table, as a fit to the others\n"
    "                    predicts it ('simtrain help calibrate'); --by tells which of\n"
    "                    the two\n"
    "  --max-error       in place of its bound on the largest error\n"
    "  --kernels         compares with measured kernels instead: gemm.csv,\n"
    "                    attention.csv and streaming.csv of FOLDER\n"
    "                    (hardware/measured/published unless told); mean bound 8 %\n"
    "                    unless told; json as simtrain.kernel-validation/1\n"
    "  --format json     the same as simtrain.validation/1 or\n"
    "                    simtrain.nccl-validation/1\n";

CommandResult validate_command(const CommandCall& call) {
  constexpr std::string_view kLeaveOut = "--leave-one-table-out";
  if (std::count(call.arguments.begin(), call.arguments.end(), kLeaveOut) > 0)
    return leave_out_command(call);
  if (std::count(call.arguments.begin(), call.arguments.end(), "--kernels") > 0)
    return validate_kernels_command(call);
  if (std::count(call.arguments.begin(), call.arguments.end(), "--nccl") > 0)
    return validate_nccl_command(call);
  po::options_description options;
  auto add = options.add_options();
  add("path", po::value<std::vector<std::string>>());
  add("format", po::value<std::string>()->default_value("text"));
  add("max-mean-error", po::value<double>());
  add("breakdown", po::bool_switch());
  add("report", po::value<std::string>());
  add("force", po::bool_switch());
  add("steps", po::value<std::string>());
  add("log-format", po::value<std::string>());
  add("nccl", po::bool_switch());  // this and the next two are named here for "did you mean"
  add("leave-one-table-out", po::bool_switch());
  add("kernels", po::bool_switch());
  const po::variables_map values = parse_options(call.arguments, options, "path");
  const bool json = wants_json(values);
  const std::optional<double> mean_bound = percent_option(values, "max-mean-error");
  OutputFiles outputs = outputs_of(call, values);
  outputs.start();
  std::vector<ValidationResult> results = validate_paths(call, values);
  if (mean_bound) set_mean_bound(*mean_bound, results);
  if (outputs.any()) outputs.write("report", validation_html(results));
  const bool holds = std::all_of(results.begin(), results.end(), [](const ValidationResult& r) {
    return broken_bounds(r).empty();
  });
  return {
      json ? validation_json(results) : validation_text(results, values["breakdown"].as<bool>()),
      holds ? 0 : 1, json};
}

}  // namespace

const CommandRow kValidateCommand{"validate", kHelp, "compares with documented runs",
                                  "simtrain validate", validate_command};

}  // namespace simtrain
