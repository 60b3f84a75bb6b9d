#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "sim/app/arguments/study_options.h"
#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/output_files.h"
#include "sim/app/program_files.h"
#include "sim/output/measured/comparison_html.h"
#include "sim/study/compare/compared_runs.h"
#include "sim/study/validate/measured_pairs.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

/// What both ways to call it take.
constexpr std::array kComparisonOptions{
    with_help(kSetOption, "as for 'simtrain run', for every scenario"),
    kMachineOption,
    OptionRow{.name = "steps", .value = "WINDOW", .completes = "step-windows"},
    with_help(kLogFormatOption, "as for 'simtrain metrics'"),
    format_option("json: as simtrain.comparison/1, several as simtrain.comparisons/1"),
    kReportOption};
constexpr std::array kPathRows{OptionRow{.value = "SCENARIO.yaml LOG... [SCENARIO.yaml LOG...]...",
                                         .type = OptionType::argument,
                                         .completes = "scenarios"},
                               kRowOption};
constexpr std::array kCompareOptions =
    joined(joined(kPathRows, kComparisonOptions), std::array{going_with(kForceOption, "report")});
constexpr std::array kFolderRow{
    OptionRow{.value = "FOLDER",
              .help = "scenarios with their logs beside them, as for 'simtrain validate FOLDER'",
              .type = OptionType::argument}};
constexpr std::array kFolderOptions = joined(kFolderRow, kComparisonOptions);
constexpr std::array<std::span<const OptionRow>, 1> kOtherCompareOptions{kFolderOptions};

std::string checked_row(const ScenarioSource& source, const std::string& path,
                        const std::string& row) {
  require_row(source, path, row);
  return source.has_table() ? row : "";
}

/// Scenarios, each before its logs. What ends in .yaml is a scenario, and so is the first path.
std::vector<LoggedRun> runs_of_paths(const CommandCall& call, const std::vector<std::string>& paths,
                                     const std::string& row) {
  std::vector<LoggedRun> runs;
  std::string scenario;
  bool logged = true;
  for (const std::string& path : paths) {
    if (scenario.empty() || is_scenario_path(path)) {
      if (!logged) break;
      scenario = scenario_file(call, path);
      logged = false;
      continue;
    }
    const auto source = ScenarioSource::from_file(scenario);
    runs.push_back({source, scenario, path, checked_row(source, scenario, row)});
    logged = true;
  }
  if (runs.empty() || !logged)
    throw InputError({}, "",
                     "compare takes scenarios, each with its logs behind it, or a folder of both; "
                     "'simtrain help compare' shows how");
  const bool table = std::any_of(runs.begin(), runs.end(),
                                 [](const LoggedRun& run) { return run.source.has_table(); });
  if (!table && !row.empty()) throw InputError({}, "--row", "no scenario given has a table");
  return runs;
}

std::vector<LoggedRun> runs_of_folder(const std::string& folder) {
  std::vector<LoggedRun> runs;
  for (const MeasuredPair& pair : measured_pairs(folder)) {
    const auto source = ScenarioSource::from_file(pair.scenario);
    runs.push_back({source, pair.scenario, pair.log, row_of(source, pair)});
  }
  return runs;
}

std::vector<LoggedRun> logged_runs(const CommandCall& call, const po::variables_map& values) {
  const std::vector<std::string> paths = plain_arguments(values);
  const std::string row = option_value(values, "row").value_or("");
  std::error_code error;
  if (paths.size() != 1 || !std::filesystem::is_directory(paths.front(), error))
    return runs_of_paths(call, paths, row);
  if (!row.empty()) throw InputError({}, "--row", "the names of a folder's logs say their rows");
  return runs_of_folder(paths.front());
}

CommandResult compare_command(const CommandCall& call) {
  const po::variables_map values = parse_options(call.arguments, kCompareOptions);
  const bool json = wants_json(values);
  const ComparisonRequest request{parsed_settings(values), log_request(values)};
  const std::vector<LoggedRun> logged = logged_runs(call, values);
  OutputFiles outputs(values);
  outputs.reads_hardware(call.data);
  for (const LoggedRun& run : logged) {
    outputs.reads("a scenario", run.scenario);
    outputs.reads("a log", run.log);
  }
  outputs.writes("report", kPageFile);
  outputs.start();
  std::vector<ComparedRun> runs;
  runs.reserve(logged.size());
  const Watch bar = call.console.bar("runs");
  for (const LoggedRun& one : logged) {
    runs.push_back(compared_run(call.data, one, request));
    bar(runs.size(), logged.size());
  }
  const ComparedCauses causes =
      compared_causes(call.data, logged, request, runs, call.console.bar("software stacks"),
                      call.console.bar("simulations"));

  if (outputs.any()) outputs.write("report", comparison_html(runs, causes));
  if (runs.size() == 1)
    return {json ? comparison_json(runs.front(), causes) : comparison_text(runs.front(), causes), 0,
            json};
  return {json ? comparisons_json(runs, causes) : comparisons_text(runs, causes), 0, json};
}

}  // namespace

const CommandRow kCompareCommand{
    "compare",
    "training logs against their predictions",
    "simtrain compare scenarios/llama405b_a4_224.yaml dllogger.json",
    "Predicts the scenario and compares with a training log: the error (predicted over measured, "
    "less one), whether the 90 % interval holds the run, and what each share of the step would "
    "have to be, or which other software stack, to explain it alone. Several logs are shown a line "
    "each; those of several plans also name the one number of hardware/ would explain them all.",
    compare_command,
    kCompareOptions,
    kOtherCompareOptions};

}  // namespace simtrain
