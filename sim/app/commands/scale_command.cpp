#include <fmt/format.h>

#include "sim/app/arguments/study_options.h"
#include "sim/app/command.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/output_files.h"
#include "sim/output/sweep/scale_html.h"
#include "sim/study/tune/plan_limits.h"

namespace simtrain {

namespace po = boost::program_options;

namespace {

constexpr std::array kScaleOptions{
    kScenarioArgument,
    OptionRow{.name = "gpus",
              .value = "SIZES",
              .help = "64,128,256 or a range, 64:512:64 in steps, 64:2048:x2 by factors",
              .required = true},
    kRowOption,
    kSetOption,
    kMachineOption,
    OptionRow{.name = "mode",
              .value = "weak|strong",
              .help = "weak: the global batch grows with the GPUs; strong: it stays",
              .preset = "weak"},
    kTokensOption,
    kPriceOption,
    kReportOption,
    going_with(kForceOption, "report"),
    format_option("json: the same as simtrain.scale/1")};

CommandResult scale_command(const CommandCall& call) {
  const po::variables_map values = parse_options(call.arguments, kScaleOptions);
  const std::string path = one_scenario(call, values, "scale");
  const auto source = ScenarioSource::from_file(path);
  const bool json = wants_json(values);
  const auto sizes = option_value(values, "gpus");
  if (!sizes) throw InputError({}, "--gpus", "is missing; --gpus 64:2048:x2 would do");
  ScaleRequest request;
  request.row = option_value(values, "row").value_or("");
  request.settings = parsed_settings(values);
  request.gpus = numbers_of(parse_ranges(*sizes, "--gpus"), "--gpus");
  request.mode = named_option<Scaling>(values, "mode");
  const Scenario scenario = source.draft(call.data, request.row, request.settings).scenario;
  const ScaleHead head{scenario.name, request.mode, tokens_option(values), price_option(values),
                       changes_of(scenario)};
  OutputFiles outputs(values);
  outputs.reads_scenario(call.data, path);
  outputs.reads_model(source.tree(request.row, request.settings));
  outputs.writes("report", kPageFile);
  outputs.start();
  const std::vector<ScaleRow> rows = scale(call.data, source, request, call.console.bar("sizes"));
  if (outputs.any()) outputs.write("report", scale_html(head, rows));
  return {json ? scale_json(head, rows) : scale_text(head, rows), 0, json};
}

}  // namespace

const CommandRow kScaleCommand{
    "scale",
    "a scenario on several numbers of GPUs",
    "simtrain scale scenarios/llama31_8b_h100.yaml --row bf16-8 --gpus 8:128:x2",
    "Simulates a scenario's plan on several numbers of GPUs; DP follows. Sizes on which the plan "
    "is "
    "illegal are shown with the reason.",
    scale_command,
    kScaleOptions};

}  // namespace simtrain
