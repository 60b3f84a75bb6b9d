#include "sim/app/command.h"
#include "sim/app/options.h"
#include "sim/output/json_report.h"
#include "sim/output/text_report.h"
#include "sim/run/simulate.h"

namespace simtrain {

namespace po = boost::program_options;

CommandResult run_command(const CommandCall& call) {
  po::options_description options;
  options.add_options()("scenario", po::value<std::vector<std::string>>()->default_value({}, ""))(
      "set", po::value<std::vector<std::string>>()->composing())(
      "row", po::value<std::string>()->default_value(""))(
      "format", po::value<std::string>()->default_value("text"))("unfold", po::bool_switch());
  const po::variables_map values = parse_options(call.arguments, options, "scenario");
  const auto files = values["scenario"].as<std::vector<std::string>>();
  if (files.size() != 1 || files.front().empty())
    throw InputError({}, "", "run takes one scenario file; 'simtrain help run' shows how");
  const bool json = wants_json(values);
  const std::vector<Setting> settings = parsed_settings(values);
  const auto source = ScenarioSource::from_file(files.front());
  const SimulateOptions how{values["unfold"].as<bool>()};
  const auto& row = values["row"].as<std::string>();
  if (!row.empty() || !source.has_table()) {
    const Report report = simulate(source.scenario(call.data, row, settings), how);
    return {json ? json_report(report) : text_report(report)};
  }
  std::vector<Report> reports;
  for (const std::string& name : source.row_names())
    reports.push_back(simulate(source.scenario(call.data, name, settings), how));
  return {json ? json_table(source.row_names(), reports) : text_table(source.row_names(), reports)};
}

}  // namespace simtrain
