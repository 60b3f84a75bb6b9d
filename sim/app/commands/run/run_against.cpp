#include "sim/app/commands/run/run_against.h"

#include <array>

#include <fmt/format.h>

#include "sim/app/arguments/study_options.h"
#include "sim/app/options/options.h"
#include "sim/app/program_files.h"
#include "sim/output/difference/difference_report.h"
#include "sim/run/simulate.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

constexpr std::array kOfOneRun{"steps", "trace", "nccl-trace", "price"};
constexpr std::array kSwitchesOfOneRun{"explain", "job", "kernels", "recipe"};

void refuse(const char* option) {
  throw InputError({}, fmt::format("--{}", option),
                   "is of one run; --against goes with --row, --set, --machine, --format, --unfold "
                   "and --report");
}

void check_options(const po::variables_map& values) {
  for (const char* option : kOfOneRun) {
    if (values.count(option) > 0) refuse(option);
  }
  for (const char* option : kSwitchesOfOneRun) {
    if (is_on(values, option)) refuse(option);
  }
  if (!values["tokens"].defaulted()) refuse("tokens");
}

}  // namespace

void check_against(const po::variables_map& values) {
  if (values.count("against") > 0) return;
  for (const OptionRow& row : {kAgainstRowOption, kAgainstSetOption}) {
    if (values.count(std::string(row.name)) > 0)
      throw InputError({}, fmt::format("--{}", row.name), "goes with --against FILE");
  }
}

CommandResult run_against(const AgainstRequest& request, bool json) {
  const CommandCall& call = request.call;
  check_options(request.values);
  const std::string path = scenario_file(call, request.values["against"].as<std::string>());
  const ScenarioSource source = ScenarioSource::from_file(path);
  const std::string row = option_value(request.values, "against-row").value_or("");
  const std::vector<Setting> settings = settings_of(option_values(request.values, "against-set"));
  require_row(request.source, request.path, request.row);
  if (source.has_table() && row.empty())
    throw InputError(
        {path}, "--against-row",
        fmt::format("the scenario has a table; {}", suggestion("", source.row_names())));
  const Scenario run = request.source.scenario(call.data, request.row, request.settings);
  const Scenario against = source.scenario(call.data, row, settings);
  request.outputs.reads_scenario(call.data, path);
  request.outputs.reads_model(request.source.tree(request.row, request.settings));
  request.outputs.reads_model(source.tree(row, settings));
  request.outputs.start();
  const SimulateOptions options{is_on(request.values, "unfold")};
  const Report run_report = simulate(run, options);
  const Report against_report = simulate(against, options);
  const RunDifference difference = run_difference({run, run_report}, {against, against_report});
  if (request.values.count("report") > 0)
    request.outputs.write("report", difference_html(difference));
  if (json) return for_programs(difference_json(difference));
  return {difference_text(difference)};
}

}  // namespace simtrain
