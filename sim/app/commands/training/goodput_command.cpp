#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/options/study_options.h"
#include "sim/app/output_files.h"
#include "sim/core/files/seal.h"
#include "sim/output/training/goodput_report.h"
#include "sim/output/training/job_html.h"

namespace simtrain {

namespace po = boost::program_options;

namespace {

/// --hdf5 of a job.
const OutputKind kRunsFile{", and no output of a job", has_seal};

constexpr std::array kGoodputOptions{
    kScenarioArgument,
    with_help(kRowOption, "the row of the scenario's table, where it has one"),
    with_help(kSetOption,
              "changes any dotted key, as for 'simtrain run': job.tokens=15e12, "
              "job.checkpoint.save_interval=100"),
    kMachineOption,
    format_option("json: schema simtrain.goodput/1"),
    OptionRow{.name = "hdf5", .value = "FILE", .help = "writes the figures of every run"},
    with_help(kReportOption, "writes the job as one HTML page that needs no other file"),
    OptionRow{.name = "plain",
              .help = "the job as it is alone: no other intervals, spares and changes"},
    kForceOption};

CommandResult goodput_command(const CommandCall& call) {
  const po::variables_map values = parse_options(call.arguments, kGoodputOptions);
  const bool json = wants_json(values);
  const std::vector<Setting> settings = parsed_settings(values);
  const std::string path = one_scenario(call, values, "goodput");
  OutputFiles outputs(values);
  outputs.reads_scenario(call.data, path);
  outputs.writes("hdf5", kRunsFile);
  outputs.writes("report", kPageFile);
  const auto source = ScenarioSource::from_file(path);
  const std::string row = option_value(values, "row").value_or("");
  if (row.empty() && source.has_table())
    throw InputError({path}, "--row",
                     "is missing; the file has a table, and a job is of one of its rows");
  const Scenario scenario = source.scenario(call.data, row, settings);
  const JobInputs inputs = load_job(call.data, scenario, source.tree(row, settings));
  outputs.reads_model(source.tree(row, settings));
  outputs.start();
  note_gpus(call.console, scenario);
  const Goodput result = goodput(inputs, {.changes = !is_on(values, "plain"),
                                          .states = call.console.bar("states"),
                                          .runs = call.console.bar("runs")});
  outputs.check();
  if (values.count("hdf5") > 0) outputs.write("hdf5", goodput_hdf5(result));
  if (values.count("report") > 0) outputs.write("report", goodput_html(result));
  if (json) return for_programs(goodput_json(result));
  return {goodput_text(result)};
}

}  // namespace

const CommandRow kGoodputCommand{
    "goodput",
    "a training job: days, checkpoints, failures",
    "simtrain goodput scenarios/llama31_405b_job_h100.yaml",
    "Simulates the training job of a scenario (its keys under 'job') many times, with failures, "
    "checkpoints and restarts: how long it takes with what spread, where the time goes, which "
    "interval between checkpoints and how many spare nodes suit it, and what else would help.",
    goodput_command,
    kGoodputOptions};

}  // namespace simtrain
