#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/options/study_options.h"
#include "sim/app/output_files.h"
#include "sim/output/nccl/nccl_trace.h"
#include "sim/output/run/explain_report.h"
#include "sim/output/run/json_report.h"
#include "sim/output/run/run_html.h"
#include "sim/output/text/text_report.h"
#include "sim/output/trace/trace.h"
#include "sim/run/results/sampled_steps.h"
#include "sim/run/simulated_step.h"

namespace simtrain {

namespace po = boost::program_options;

namespace {

constexpr std::string_view kHelp =
    "simtrain [run] SCENARIO.yaml [--row NAME] [--set KEY=VALUE]...\n"
    "               [--format text|json] [--steps N [--seed N]] [--unfold]\n"
    "               [--trace FILE [--trace-ranks LIST] [--trace-microbatches LIST]]\n"
    "               [--nccl-trace FILE] [--report FILE.html] [--explain] [--recipe]\n"
    "               [--tokens T] [--price USD] [--force]\n\n"
    "  --row NAME        one row of the scenario's table; without it all rows, a line\n"
    "                    each\n"
    "  --set KEY=VALUE   changes any dotted key; tp, pp, vp, cp, ep, mbs, gbs, nodes,\n"
    "                    gpus, precision for short; hardware.nic_bandwidth=200Gb/s or\n"
    "                    any other value of the hardware ('simtrain help hardware')\n"
    "  --format json     the whole result as simtrain.result/1\n"
    "  --steps N         draws up to 1000000 steps as GPU clocks make them deviate\n"
    "                    from the mean one, and tells their mean, standard deviation\n"
    "                    and range; all else is of the mean step\n"
    "  --seed N          of the draws of --steps; 0 without it\n"
    "  --unfold          simulates every rank; gives the same numbers\n"
    "  --trace FILE      writes the step as a timeline for ui.perfetto.dev and\n"
    "                    chrome://tracing: .pftrace, .json or .json.gz\n"
    "  --trace-ranks LIST\n"
    "                    ranks that it shows, '0-7,16' or all; without it one of each\n"
    "                    class\n"
    "  --trace-microbatches LIST\n"
    "                    micro-batches that it shows with their kernels and messages;\n"
    "                    without it the first and the middle one\n"
    "  --nccl-trace FILE the collectives that a rank calls, as NCCL's own log tells\n"
    "                    them, and their sums; --trace-ranks for other ranks than the\n"
    "                    busiest one\n"
    "  --report FILE     writes the step as one HTML page that needs no other file\n"
    "  --explain         the critical path by stage, and the step time with each knob\n"
    "                    changed and each cost removed, simulated anew\n"
    "  --recipe          the recipe as it was simulated, every key with what the file\n"
    "                    leaves to defaults, as a scenario file; JSON always has it\n"
    "  --tokens 15T      of the training run whose days, GPU hours and cost are told;\n"
    "                    1T\n"
    "  --price 2.5       dollars of a GPU hour\n"
    "  --force           replaces files that no earlier run wrote\n";

po::options_description options_of_run() {
  po::options_description options;
  options.add_options()("scenario", po::value<std::vector<std::string>>()->default_value({}, ""))(
      "set", po::value<std::vector<std::string>>()->composing())(
      "row", po::value<std::string>()->default_value(""))(
      "format", po::value<std::string>()->default_value("text"))(
      "steps", po::value<std::int64_t>())("seed", po::value<std::int64_t>())(
      "unfold", po::bool_switch())("trace", po::value<std::string>())(
      "trace-ranks", po::value<std::string>())("trace-microbatches", po::value<std::string>())(
      "nccl-trace", po::value<std::string>())("report", po::value<std::string>())(
      "explain", po::bool_switch())("recipe", po::bool_switch())(
      "tokens", po::value<std::string>()->default_value("1T"))("price", po::value<double>())(
      "force", po::bool_switch());
  return options;
}

/// Steps to draw beside the mean one.
struct SampleRequest {
  int count = 0;
  std::uint64_t seed = 0;
};

std::optional<SampleRequest> sample_of(const po::variables_map& values) {
  constexpr std::int64_t kMostSteps = 1'000'000;
  if (values.count("steps") == 0) {
    if (values.count("seed") > 0) throw InputError({}, "--seed", "goes with --steps N");
    return std::nullopt;
  }
  const auto count = values["steps"].as<std::int64_t>();
  if (count < 1 || count > kMostSteps)
    throw InputError({}, "--steps", "must be a whole number from 1 to 1000000");
  const auto seed = values.count("seed") > 0 ? values["seed"].as<std::int64_t>() : 0;
  if (seed < 0) throw InputError({}, "--seed", "must be a whole number of 0 or more");
  return SampleRequest{static_cast<int>(count), static_cast<std::uint64_t>(seed)};
}

/// None where nothing is asked of a training run.
std::optional<TrainingGoal> goal_of(const po::variables_map& values) {
  const TrainingGoal goal{tokens_option(values), price_option(values)};
  if (values["tokens"].defaulted() && !goal.usd_per_gpu_hour) return std::nullopt;
  return goal;
}

/// What of a step goes into files beside the report.
struct Traces {
  std::optional<TraceRequest> timeline;
  std::optional<std::string> nccl;  ///< path
  std::optional<std::vector<NumberRange>> ranks;
  [[nodiscard]] bool any() const { return timeline || nccl; }
};

Traces traces_of(const po::variables_map& values) {
  Traces traces;
  traces.ranks = ranges_option(values, "trace-ranks");
  const auto micro_batches = ranges_option(values, "trace-microbatches");
  if (values.count("trace") > 0) {
    traces.timeline = TraceRequest{values["trace"].as<std::string>(), traces.ranks, micro_batches};
    check_trace(*traces.timeline);
  }
  if (values.count("nccl-trace") > 0) traces.nccl = values["nccl-trace"].as<std::string>();
  if (!traces.any() && traces.ranks)
    throw InputError({}, "--trace-ranks", "goes with --trace FILE or --nccl-trace FILE");
  if (!traces.timeline && micro_batches)
    throw InputError({}, "--trace-microbatches", "goes with --trace FILE");
  return traces;
}

void write_traces(const Console& console, const SimulatedStep& simulated, const Traces& traces) {
  if (traces.nccl) write_nccl_trace(simulated, *traces.nccl, traces.ranks);
  if (!traces.timeline) return;
  const std::string missing = write_trace(simulated, *traces.timeline);
  if (missing.empty()) return;
  console.note(fmt::format(
      "simtrain: note: {} leaves out {}; --trace-ranks and --trace-microbatches choose others\n",
      traces.timeline->path, missing));
}

OutputFiles outputs_of(const CommandCall& call, const po::variables_map& values,
                       const std::string& scenario) {
  OutputFiles outputs(values);
  outputs.reads_scenario(call.data, scenario);
  outputs.writes("trace", kTraceFile);
  outputs.writes("nccl-trace", kNcclLogFile);
  outputs.writes("report", kPageFile);
  return outputs;
}

/// What a run is of, and what is asked of it.
struct RunRequest {
  const CommandCall& call;
  const po::variables_map& values;
  ScenarioSource source;
  std::string row;
  std::vector<Setting> settings;
  std::optional<SampleRequest> sample;
  Traces traces;
  std::optional<TrainingGoal> goal;
  OutputFiles& outputs;

  [[nodiscard]] bool wants(const char* option) const { return values[option].as<bool>(); }
};

CommandResult run_one(const RunRequest& request, bool json) {
  const auto& [call, values, source, row, settings, sample, traces, goal, outputs] = request;
  const Scenario scenario = source.scenario(call.data, row, settings);
  outputs.reads_model(source.tree(row, settings));
  outputs.start();
  note_gpus(call.console, scenario);
  const SimulatedStep simulated =
      simulate_step(scenario, {request.wants("unfold"), nullptr, call.console.bar("operations")});
  Report report = report_of(simulated);
  if (sample) report.sample = sampled_steps(report, sample->count, sample->seed);
  outputs.check();
  write_traces(call.console, simulated, traces);
  std::optional<Explanation> why;
  if (request.wants("explain"))
    why = explain({source, call.data, row, settings}, simulated, call.console.bar("changes"));
  if (values.count("report") > 0)
    outputs.write("report",
                  run_html(simulated, report, provenance_of(call.data, source.tree(row, settings)),
                           why, goal));
  if (json) {
    const TrainingGoal asked = goal.value_or(TrainingGoal{});
    return for_programs(why ? json_report(report, asked, *why) : json_report(report, asked));
  }
  std::string text = text_report(report, goal);
  if (request.wants("recipe")) text += recipe_text(report);
  if (why) text += explanation_text(*why);
  return {std::move(text)};
}

CommandResult run_table(const RunRequest& request, bool json) {
  const auto& [call, values, source, row, settings, sample, traces, goal, outputs] = request;
  if (outputs.any() || sample || request.wants("explain") || request.wants("recipe"))
    throw InputError({}, "",
                     "--steps, traces, --report, --explain and --recipe are of one row of the "
                     "table; --row names it");
  outputs.check();
  std::vector<Report> reports;
  const std::vector<std::string> names = source.row_names();
  const Watch bar = call.console.bar("rows");
  for (const std::string& name : names) {
    const Scenario scenario = source.scenario(call.data, name, settings);
    if (reports.empty()) note_gpus(call.console, scenario);
    reports.push_back(simulate(scenario, {request.wants("unfold")}));
    bar(reports.size(), names.size());
  }
  if (json) return for_programs(json_table(names, reports, goal.value_or(TrainingGoal{})));
  return {text_table(names, reports, goal)};
}

CommandResult run_command(const CommandCall& call) {
  const po::variables_map values = parse_options(call.arguments, options_of_run(), "scenario");
  const bool json = wants_json(values);
  const std::optional<SampleRequest> sample = sample_of(values);
  const std::optional<TrainingGoal> goal = goal_of(values);
  const Traces traces = traces_of(values);
  const std::vector<Setting> settings = parsed_settings(values);
  const std::string path = one_scenario(call, values, "run");
  OutputFiles outputs = outputs_of(call, values, path);
  const RunRequest request{call,
                           values,
                           ScenarioSource::from_file(path),
                           values["row"].as<std::string>(),
                           settings,
                           sample,
                           traces,
                           goal,
                           outputs};
  const bool one = !request.row.empty() || !request.source.has_table();
  return one ? run_one(request, json) : run_table(request, json);
}

}  // namespace

const CommandRow kRunCommand{"run", kHelp, "predicts a scenario",
                             "simtrain scenarios/llama405b_a4_224.yaml", run_command};

}  // namespace simtrain
