#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/app/arguments/study_options.h"
#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/output_files.h"
#include "sim/app/program_files.h"
#include "sim/import/plan/recipe_export.h"
#include "sim/output/difference/export_difference.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

constexpr std::array kExportOptions{
    kScenarioArgument,
    OptionRow{.name = "to",
              .value = "NAME",
              .help = "one of 'simtrain list export-targets'",
              .completes = "export-targets",
              .required = true},
    with_help(kRowOption, "the row of a scenario with a table"),
    kSetOption,
    OptionRow{.name = "strict", .help = "exits with 1 where something of the plan is not in it"},
    OptionRow{.name = "output",
              .value = "FILE",
              .help = "what is made, whole or not at all; without it it is printed"},
    going_with(with_help(kForceOption, "replaces a file that is there"), "output"),
    paragraph("Each key of the plan that the framework has no word for is named on standard error, "
              "with the value that an import of the file has in its place.")};

const ExportTarget& target_of(const po::variables_map& values) {
  const auto asked = option_value(values, "to");
  if (!asked)
    throw InputError(
        {}, "--to",
        fmt::format("is missing; one of {} would do", fmt::join(export_target_names(), ", ")));
  return export_target(*asked, "--to");
}

CommandResult export_command(const CommandCall& call) {
  const po::variables_map values = parse_options(call.arguments, kExportOptions);
  const std::string path = one_scenario(call, values, "export");
  const ExportTarget& target = target_of(values);
  OutputFiles outputs(values);
  outputs.reads_scenario(call.data, path);
  outputs.writes("output", kYamlFile);
  const auto source = ScenarioSource::from_file(path);
  const std::string row = option_value(values, "row").value_or("");
  require_row(source, path, row);
  const std::vector<Setting> settings = parsed_settings(values);
  const Scenario scenario = source.scenario(call.data, row, settings);
  const YamlNode keys = source.tree(row, settings);
  outputs.reads_model(keys);
  outputs.start();
  const ExportedRecipe recipe = export_recipe(target, scenario, keys);
  const std::vector<std::string> lines = left_out(target, recipe, scenario, call.data);
  if (outputs.any()) outputs.write("output", recipe.text);
  std::string remark;
  for (const std::string& line : lines)
    remark += fmt::format("simtrain: note: {}: {}\n", target.name, line);
  call.console.note(remark);
  CommandResult result = for_programs(outputs.any() ? "" : recipe.text);
  if (is_on(values, "strict") && !lines.empty()) result.status = 1;
  return result;
}

}  // namespace

const CommandRow kExportCommand{
    "export",
    "writes a plan as another framework's configuration",
    "simtrain export scenarios/llama405b_a4_224.yaml --to megatron",
    "Writes what a framework needs to run the scenario's plan. 'simtrain import' of the file makes "
    "the same scenario, but for what is named on standard error.",
    export_command,
    kExportOptions};

}  // namespace simtrain
