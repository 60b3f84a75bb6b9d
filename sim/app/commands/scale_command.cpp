#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/options/study_options.h"
#include "sim/app/output_files.h"
#include "sim/output/sweep/scale_html.h"
#include "sim/study/tune/plan_limits.h"

namespace simtrain {

namespace po = boost::program_options;

namespace {

constexpr std::string_view kHelp =
    "simtrain scale SCENARIO.yaml --gpus SIZES [--row NAME] [--set KEY=VALUE]...\n"
    "               [--mode weak|strong] [--tokens T] [--price USD]\n"
    "               [--report FILE.html [--force]] [--format text|json]\n\n"
    "  Simulates a scenario's plan on several numbers of GPUs; DP follows. Sizes on\n"
    "  which the plan is illegal are shown with the reason.\n\n"
    "  --gpus SIZES      64,128,256 or a range, 64:512:64 in steps, 64:2048:x2 by\n"
    "                    factors\n"
    "  --mode weak       the global batch grows with the GPUs (the default); strong:\n"
    "                    it stays\n"
    "  --tokens 15T      of the training run whose days, GPU hours and cost are told;\n"
    "                    1T\n"
    "  --price 2.5       dollars of a GPU hour\n"
    "  --report FILE     all of it as one HTML page that needs no other file; --force\n"
    "                    replaces one that is no page of simtrain\n"
    "  --format json     the same as simtrain.scale/1\n";

CommandResult scale_command(const CommandCall& call) {
  po::options_description options;
  const auto text = [] { return po::value<std::string>(); };
  options.add_options()("scenario", po::value<std::vector<std::string>>()->default_value({}, ""))(
      "set", po::value<std::vector<std::string>>()->composing())("row", text()->default_value(""))(
      "gpus", text())("mode", text()->default_value("weak"))("tokens", text()->default_value("1T"))(
      "price", po::value<double>())("report", text())("format", text()->default_value("text"))(
      "force", po::bool_switch());
  const po::variables_map values = parse_options(call.arguments, options, "scenario");
  const std::string path = one_scenario(call, values, "scale");
  const auto source = ScenarioSource::from_file(path);
  const bool json = wants_json(values);
  if (values.count("gpus") == 0)
    throw InputError({}, "--gpus", "is missing; --gpus 64:2048:x2 would do");
  ScaleRequest request;
  request.row = values["row"].as<std::string>();
  request.settings = parsed_settings(values);
  request.gpus = numbers_of(parse_ranges(values["gpus"].as<std::string>(), "--gpus"), "--gpus");
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

const CommandRow kScaleCommand{"scale", kHelp, "a scenario on several numbers of GPUs",
                               "simtrain scale scenarios/llama31_8b_h100.yaml --row bf16-8 "
                               "--gpus 8:128:x2",
                               scale_command};

}  // namespace simtrain
