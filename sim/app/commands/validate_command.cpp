#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>

#include <fmt/format.h>

#include "sim/app/arguments/validate_rows.h"
#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/output_files.h"
#include "sim/output/validation/measured_sources_report.h"
#include "sim/output/validation/validation_html.h"
#include "sim/output/validation/validation_report.h"
#include "sim/study/validate/measured_folder.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

constexpr std::array kValidateOptions{
    OptionRow{.value = "[FILE|FOLDER]...", .type = OptionType::argument},
    format_option("json: the same as simtrain.validation/1 or simtrain.nccl-validation/1"),
    OptionRow{.name = "breakdown", .help = "where the step of each row goes"},
    kReportOption,
    going_with(kForceOption, "report"),
    kMeanErrorOption,
    OptionRow{.name = "steps", .value = "WINDOW", .completes = "step-windows"},
    with_help(kLogFormatOption, "of the logs of a FOLDER, as for 'simtrain metrics'")};
constexpr std::array<std::span<const OptionRow>, 4> kOtherValidateOptions{
    kNcclModeOptions, kLeaveOutOptions, kKernelsOptions, kMeasuredModeOptions};

std::vector<std::string> paths_of(const CommandCall& call, const po::variables_map& values) {
  std::vector<std::string> paths = plain_arguments(values);
  if (!paths.empty()) return paths;
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

CommandResult validate_measured_command(const CommandCall& call) {
  const po::variables_map values = parse_options(call.arguments, kMeasuredModeOptions);
  if (!plain_arguments(values).empty())
    throw InputError({}, "", "--measured takes no files; it uses those of validation/measured");
  const bool json = wants_json(values);
  const std::optional<double> bound = percent_option(values, "max-mean-error");
  const std::vector<MeasuredSourceRow> rows = measured_sources(call.data, call.console.bar("runs"));
  const bool holds =
      !bound || measured_groupings(rows).front().groups.front().errors.mean <= *bound;
  return {json ? measured_sources_json(rows) : measured_sources_text(rows), holds ? 0 : 1, json};
}

CommandResult validate_command(const CommandCall& call) {
  constexpr std::string_view kLeaveOut = "--leave-one-table-out";
  if (std::count(call.arguments.begin(), call.arguments.end(), kLeaveOut) > 0)
    return leave_out_command(call);
  if (std::count(call.arguments.begin(), call.arguments.end(), "--kernels") > 0)
    return validate_kernels_command(call);
  if (std::count(call.arguments.begin(), call.arguments.end(), "--measured") > 0)
    return validate_measured_command(call);
  if (std::count(call.arguments.begin(), call.arguments.end(), "--nccl") > 0)
    return validate_nccl_command(call);
  const po::variables_map values =
      parse_options(call.arguments, joined(kValidateOptions, kValidateModes));
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
  return {json ? validation_json(results) : validation_text(results, is_on(values, "breakdown")),
          holds ? 0 : 1, json};
}

}  // namespace

const CommandRow kValidateCommand{
    "validate",
    "compares with documented runs",
    "simtrain validate",
    "Compares predictions with what documents print about runs; exits with 1 where a bound that "
    "the "
    "files state is broken (docs/validation.md). A FOLDER holds runs of one's own: NAME.yaml is a "
    "scenario, NAME.log, or NAME.ROW.log where it has a table, a training log of it.",
    validate_command,
    kValidateOptions,
    kOtherValidateOptions};

}  // namespace simtrain
