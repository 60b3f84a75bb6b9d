#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/options.h"
#include "sim/app/program_files.h"
#include "sim/measured/comparison.h"
#include "sim/measured/log_format.h"
#include "sim/output/comparison_report.h"
#include "sim/run/simulate.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kHelp =
    "simtrain compare SCENARIO.yaml LOG [--row NAME] [--set KEY=VALUE]... [--steps WINDOW]\n"
    "                 [--log-format NAME] [--format text|json]\n\n"
    "  Predicts the scenario and compares with a training log: the gap, whether the 90 % interval\n"
    "  holds it, and what each share of the step would have to be to explain it alone.\n\n"
    "  --row, --set      as for 'simtrain run'\n"
    "  --steps           as for 'simtrain metrics'\n"
    "  --format json     as simtrain.comparison/1\n";

CommandResult compare_command(const CommandCall& call) {
  po::options_description options;
  options.add_options()("paths", po::value<std::vector<std::string>>())(
      "set", po::value<std::vector<std::string>>()->composing())(
      "row", po::value<std::string>()->default_value(""))("steps", po::value<std::string>())(
      "log-format", po::value<std::string>())("format",
                                              po::value<std::string>()->default_value("text"));
  const po::variables_map values = parse_options(call.arguments, options, "paths");
  if (values.count("paths") == 0 || values["paths"].as<std::vector<std::string>>().size() != 2)
    throw InputError({}, "",
                     "compare takes a scenario and a log; 'simtrain help compare' shows how");
  const auto& paths = values["paths"].as<std::vector<std::string>>();
  const bool json = wants_json(values);
  const LogRequest request = log_request(values);

  const auto source = ScenarioSource::from_file(scenario_file(call.data, paths[0]));
  const auto& row = values["row"].as<std::string>();
  if (source.has_table() && row.empty()) {
    throw InputError(
        {paths[0]}, "--row",
        fmt::format("the scenario has a table; {}", suggestion("", source.row_names())));
  }
  const Scenario scenario = source.scenario(call.data, row, parsed_settings(values));
  MeasuredReport measured;
  measured.name = run_name(paths[1]);
  measured.run = read_log_file(paths[1], request);
  measured.facts = merge({facts_of_log(measured.run.facts), facts_of_scenario(scenario, paths[0])});
  measured.metrics = run_metrics(measured.run, measured.facts.facts);
  if (!measured.metrics.step_time_s) throw InputError({paths[1]}, "", measured.metrics.why);
  const Report report = simulate(scenario, {});
  const Comparison comparison =
      compare(report, scenario.uncertainty, predicted_step(scenario, report), measured.run);
  return {json ? comparison_json(comparison, report, measured)
               : comparison_text(comparison, report, measured)};
}

}  // namespace

const CommandRow kCompareCommand{"compare", kHelp, "a training log against its prediction",
                                 "simtrain compare scenarios/llama405b_a4_224.yaml dllogger.json",
                                 compare_command};

}  // namespace simtrain
