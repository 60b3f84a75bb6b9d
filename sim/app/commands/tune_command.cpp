#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/commands/tuning/asked_plans.h"
#include "sim/app/commands/tuning/front_options.h"
#include "sim/app/output_files.h"
#include "sim/core/input/yaml_text.h"
#include "sim/output/tune/tune_html.h"
#include "sim/run/scenario/routing_file.h"
#include "sim/run/simulate.h"

namespace simtrain {

namespace po = boost::program_options;

namespace {

constexpr std::array kRankRows{
    OptionRow{.name = "by",
              .value = "step_time|mfu|cost",
              .help =
                  "mfu: by GPU seconds of a step instead of its time; cost: the same, and prints "
                  "the cost (needs --price)",
              .preset = "step_time"},
    kPriceOption, with_help(kTokensOption, "of the training run whose cost is printed: 15T, 300B")};
constexpr std::array kBestRows{
    OptionRow{.name = "allow-tight", .help = "ranks tight plans as the others"},
    OptionRow{.name = "top",
              .value = "K",
              .help = "how many of the best to look for and show",
              .type = OptionType::whole,
              .preset = "5"},
    kExhaustiveOption,
    OptionRow{.name = "output",
              .value = "FILE.yaml",
              .help = "the best as a scenario, whole or not at all"},
    kReportOption,
    with_help(kForceOption, "replaces a scenario that is there, and what is no page"),
    format_option("json: the same as simtrain.tune/1")};
constexpr std::array kTuneOptions =
    joined(joined(joined(kScenarioRows, kSizeRows), joined(kRankRows, kPlanRows)), kBestRows);
constexpr std::array<std::span<const OptionRow>, 1> kOtherTuneOptions{kFrontOptions};

TuneRequest request_of(const Asked& asked, const po::variables_map& values) {
  TuneRequest request;
  request.by = named_option<TuneGoal>(values, "by");
  if (request.by == TuneGoal::cost && values.count("price") == 0)
    throw InputError({}, "--by", "cost needs --price, the dollars of a GPU hour");
  request.limits = limits_of(values);
  request.memory_margin = memory_margin_of(values);
  const int top = *int_option(values, "top");
  if (top < 1 || top > 1000) throw InputError({}, "--top", "must be a number from 1 to 1000");
  request.top = static_cast<std::size_t>(top);
  request.allow_tight = is_on(values, "allow-tight");
  request.exhaustive = is_on(values, "exhaustive");
  request.sizes = sizes_of(asked, values);
  return request;
}

/// The scenario as its file has it, or why it has no step.
void add_given(TuneHead& head, const Asked& asked) {
  try {
    head.given = simulate(asked.source.scenario(asked.data, asked.row, asked.settings));
  } catch (const InputError& refusal) {
    head.given_refusal = refusal.what();
  }
}

/// What the best is the best of.
std::string remark(const TuneResult& result) {
  const bool all = result.allow_tight || result.best.front().plan.tight;
  std::string text = fmt::format("# simtrain tune: the best of {} plans that fit{}, by {}\n",
                                 result.fitting() - (all ? 0 : result.tight()),
                                 all ? "" : " with room to spare", name_of(result.by));
  if (result.best.front().plan.tight)
    text += "# It is tight: it fits only with less fragmentation of the allocator than usual.\n";
  return text;
}

std::string tuned_yaml(const Asked& asked, const TuneRequest& request, const TuneResult& result,
                       const std::string& file) {
  const PlanChoice& best = result.best.front().plan.choice;
  std::size_t size = 0;
  while (request.sizes[size].gpus() != best.gpus) ++size;
  std::vector<Setting> settings = asked.settings;
  for (Setting& setting : settings_of(best, request.sizes[size]))
    settings.push_back(std::move(setting));
  YamlNode tree = asked.source.titled_tree(asked.data, asked.row, settings);
  tree.find("name")->text += ", tuned";
  if (best[Knob::account] != static_cast<int>(SplitAccount::layout))
    std::erase_if(tree.find("parallelism")->entries, [](const YamlEntry& entry) {
      return entry.key == "pipeline_model_parallel_layout";
    });
  keep_model_path(tree, file);
  keep_routing_path(tree, file);
  return remark(result) + block_text(tree);
}

OutputFiles tune_outputs(const CommandCall& call, const po::variables_map& values,
                         const std::string& scenario) {
  OutputFiles outputs(values);
  outputs.reads_scenario(call.data, scenario);
  outputs.writes("output", kYamlFile);
  outputs.writes("report", kPageFile);
  return outputs;
}

CommandResult tune_command(const CommandCall& call) {
  if (asks_front(call)) return front_command(call);
  const po::variables_map values =
      parse_options(call.arguments, joined(kTuneOptions, std::array{kFrontOptions.front()}));
  const std::string path = one_scenario(call, values, "tune");
  const bool json = wants_json(values);
  OutputFiles outputs = tune_outputs(call, values, path);
  const Asked asked = simtrain::asked(call.data, path, values);
  TuneHead head{"", tokens_option(values), price_option(values), {}, "", {}};
  const TuneRequest request = request_of(asked, values);
  const Scenario scenario = asked.scenario();
  head.scenario = scenario.name;
  head.changes = changes_of(scenario);
  if (values.count("gpus") == 0 && values.count("nodes") == 0) note_gpus(call.console, scenario);
  outputs.reads_model(asked.source.tree(asked.row, asked.settings));
  outputs.start();
  const TuneResult result = tune(request, call.console.bar("plans"));
  if (!result.best.empty()) {
    add_given(head, asked);
    if (const auto file = option_value(values, "output"))
      outputs.write("output", tuned_yaml(asked, request, result, *file));
  }
  if (values.count("report") > 0) outputs.write("report", tune_html(head, result));
  return {json ? tune_json(head, result) : tune_text(head, result), result.best.empty() ? 1 : 0,
          json};
}

}  // namespace

const CommandRow kTuneCommand{
    "tune",
    "finds the best plan that fits",
    "simtrain tune scenarios/llama31_8b_h100.yaml --row bf16-64",
    "Finds the best plan that fits: TP, PP, VP, CP, DP, micro-batch, recompute and what counts as "
    "a "
    "layer in the pipeline split. Everything else stays as in the scenario, the global batch too. "
    "Plans that are tight (that fit only with less fragmentation of the allocator than usual) rank "
    "behind all others. Exits with 1 where no plan fits.",
    tune_command,
    kTuneOptions,
    kOtherTuneOptions};

}  // namespace simtrain
