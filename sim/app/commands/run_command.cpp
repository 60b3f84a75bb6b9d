#include <fmt/format.h>

#include "sim/app/arguments/study_options.h"
#include "sim/app/command.h"
#include "sim/app/commands/run/run_against.h"
#include "sim/app/options/options.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/output_files.h"
#include "sim/output/nccl/nccl_trace.h"
#include "sim/output/run/explain_report.h"
#include "sim/output/run/json_report.h"
#include "sim/output/run/page/run_html.h"
#include "sim/output/run/text_report.h"
#include "sim/output/trace/trace.h"
#include "sim/output/training/job_report.h"
#include "sim/output/training/step_log.h"
#include "sim/output/work/work_report.h"
#include "sim/run/results/sampled_steps.h"
#include "sim/run/simulate.h"

namespace simtrain {

namespace po = boost::program_options;

namespace {

constexpr std::array kRunOptions{
    kScenarioArgument,
    with_help(kRowOption, "one row of the scenario's table; without it all rows, a line each"),
    with_help(kSetOption,
              "changes any dotted key; tp, pp, vp, cp, ep, mbs, gbs, nodes, gpus, precision for "
              "short; hardware.nic_bandwidth=200Gb/s or any other value of the hardware ('simtrain "
              "help hardware')"),
    kMachineOption,
    format_option("json: the whole result as simtrain.result/1"),
    OptionRow{.name = "steps",
              .value = "N",
              .help =
                  "draws up to 1000000 steps as GPU clocks make them deviate from the mean one, "
                  "and prints their mean, standard deviation and range; all else is of the mean "
                  "step",
              .type = OptionType::whole},
    OptionRow{.name = "seed",
              .value = "N",
              .help = "of the draws of --steps; 0 without it",
              .type = OptionType::whole,
              .with = "steps"},
    OptionRow{.name = "step-log",
              .value = "FILE",
              .help = "writes these steps as a training log, .json as DLLogger's, .log or .out as "
                      "NeMo 2's lines: the first one longer, some slower, with the validations and "
                      "checkpoints of 'job' between them",
              .with = "steps"},
    OptionRow{.name = "unfold", .help = "simulates every rank; gives the same numbers"},
    OptionRow{.name = "trace",
              .value = "FILE",
              .help = "writes the step as a timeline for ui.perfetto.dev and chrome://tracing: "
                      ".pftrace, .json or .json.gz"},
    OptionRow{.name = "trace-ranks",
              .value = "LIST",
              .help = "ranks that it shows, '0-7,16' or all; without it one of each class",
              .with = "trace"},
    OptionRow{.name = "trace-microbatches",
              .value = "LIST",
              .help = "micro-batches that it shows with their kernels and messages; without it the "
                      "first and the middle one",
              .with = "trace"},
    OptionRow{.name = "nccl-trace",
              .value = "FILE",
              .help = "the collectives that a rank calls, as NCCL's own log has them, and their "
                      "sums; --trace-ranks for other ranks than the busiest one"},
    with_help(kReportOption, "writes the step as one HTML page that needs no other file"),
    OptionRow{.name = "explain",
              .help = "the critical path by stage, and the step time with each knob changed and "
                      "each cost removed, simulated anew"},
    OptionRow{.name = "job",
              .help = "the training job too, as 'simtrain goodput' has it, and what to change, by "
                      "the days and the price that it saves; JSON: simtrain.job/1"},
    OptionRow{.name = "kernels",
              .help =
                  "the kernels and transfers of the step: calls, time, what they reach and what "
                  "bounds them; their times on the critical path sum to the breakdown"},
    OptionRow{.name = "recipe",
              .help = "the recipe as it was simulated, every key with what the file leaves to "
                      "defaults, as a scenario file; JSON always has it"},
    kAgainstOption,
    kAgainstRowOption,
    kAgainstSetOption,
    kTokensOption,
    kPriceOption,
    kForceOption};

/// Steps to draw beside the mean one.
struct SampleRequest {
  int count = 0;
  std::uint64_t seed = 0;
};

std::optional<SampleRequest> sample_of(const po::variables_map& values) {
  const auto asked = option_value<std::int64_t>(values, "steps");
  const auto seed_asked = option_value<std::int64_t>(values, "seed");
  if (!asked) {
    if (seed_asked) throw InputError({}, "--seed", "goes with --steps N");
    return std::nullopt;
  }
  const std::int64_t count = *asked;
  if (count < 1 || count > kMostSampledSteps)
    throw InputError({}, "--steps",
                     fmt::format("must be a whole number from 1 to {}", kMostSampledSteps));
  const std::int64_t seed = seed_asked.value_or(0);
  if (seed < 0) throw InputError({}, "--seed", "must be a whole number of 0 or more");
  return SampleRequest{static_cast<int>(count), static_cast<std::uint64_t>(seed)};
}

/// None where nothing is asked of a training run. A job has its own length and prices.
std::optional<TrainingGoal> goal_of(const po::variables_map& values) {
  if (is_on(values, "job")) {
    if (!values["tokens"].defaulted())
      throw InputError({}, "--tokens",
                       "is of a step alone; of --job, --set job.tokens=15e12 says it");
    if (price_option(values))
      throw InputError({}, "--price",
                       "is of a step alone; of --job, --set 'cost.gpu_hour=2.5 USD' says it");
    return std::nullopt;
  }
  const TrainingGoal goal{tokens_option(values), price_option(values)};
  if (values["tokens"].defaulted() && !goal.usd_per_gpu_hour) return std::nullopt;
  return goal;
}

/// --step-log. Logs of simulated runs look like those of measured ones.
const OutputKind kStepLogFile{", and may be a measured one",
                              [](const std::string&) { return false; }};

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
  if (const auto path = option_value(values, "trace")) {
    traces.timeline = TraceRequest{*path, traces.ranks, micro_batches};
    check_trace(*traces.timeline);
  }
  traces.nccl = option_value(values, "nccl-trace");
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
  outputs.writes("step-log", kStepLogFile);
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

  [[nodiscard]] bool wants(const char* option) const { return is_on(values, option); }
};

/// What comes of one scenario.
struct RunFindings {
  Report report;
  std::optional<AdvisedJob> job;
  std::optional<Explanation> why;
  std::optional<StepWork> work;
  std::optional<TrainingGoal> goal;
  std::string steps;  ///< of the step log, a line
};

RunFindings findings_of(const RunRequest& request, const SimulatedStep& simulated,
                        const std::optional<JobInputs>& inputs) {
  const Console& console = request.call.console;
  const ExplainRequest asked{request.source, request.call.data, request.row, request.settings};
  RunFindings found{report_of(simulated), {}, {}, {}, request.goal, {}};
  if (request.sample)
    found.report.sample = sampled_steps(found.report, request.sample->count, request.sample->seed);
  if (inputs) {
    found.job = advised_job(asked, simulated, *inputs,
                            {.steps = console.bar("changes"),
                             .states = console.bar("states"),
                             .runs = console.bar("runs"),
                             .jobs = console.bar("jobs")});
    found.goal = steady_goal(found.job->goodput);
  }
  if (request.wants("explain"))
    found.why = found.job ? found.job->why : explain(asked, simulated, console.bar("changes"));
  if (request.wants("kernels") || request.values.count("report") > 0)
    found.work = step_work(simulated);
  return found;
}

CommandResult run_result(const RunRequest& request, const RunFindings& found, bool json) {
  const auto& [report, job, why, work, goal, steps] = found;
  if (json) {
    const AskedParts asked{why ? &*why : nullptr, request.wants("kernels") ? &*work : nullptr};
    if (job) return for_programs(job_json(report, *job, asked));
    return for_programs(json_report(report, goal.value_or(TrainingGoal{}), asked));
  }
  std::string text = text_report(report, goal);
  if (!steps.empty()) text += fmt::format("\nStep log\n  {}\n", steps);
  if (request.wants("kernels")) text += work_text(*work, report);
  if (request.wants("recipe")) text += recipe_text(report);
  if (why) text += explanation_text(*why);
  if (job) text += job_text(*job);
  return {std::move(text)};
}

/// Writes the step log; what its tool reads from it.
std::string write_step_log(const RunRequest& request, const Report& report,
                           const std::optional<JobInputs>& inputs) {
  const auto path = option_value(request.values, "step-log");
  if (!path) return {};
  const StepLog log = step_log(step_log_format(*path, "--step-log"), report,
                               run_steps(report, load_step_events(request.call.data),
                                         inputs ? between_steps(*inputs, report) : BetweenSteps{}));
  request.outputs.write("step-log", log.text);
  return log.summary;
}

CommandResult run_one(const RunRequest& request, bool json) {
  const auto& [call, values, source, row, settings, sample, traces, goal, outputs] = request;
  const Scenario scenario = source.scenario(call.data, row, settings);
  const YamlNode tree = source.tree(row, settings);
  std::optional<JobInputs> inputs;
  const bool logs = values.count("step-log") > 0;
  if (request.wants("job") || (logs && tree.find("job") != nullptr))
    inputs = load_job(call.data, scenario, tree);
  outputs.reads_model(tree);
  outputs.start();
  note_gpus(call.console, scenario);
  const SimulatedStep simulated =
      simulate_step(scenario, {request.wants("unfold"), nullptr, call.console.bar("operations")});
  outputs.check();
  write_traces(call.console, simulated, traces);
  RunFindings found = findings_of(request, simulated, request.wants("job") ? inputs : std::nullopt);
  found.steps = write_step_log(request, found.report, inputs);
  if (values.count("report") > 0)
    outputs.write("report", run_html(simulated, found.report,
                                     {*found.work, provenance_of(call.data, tree), found.why,
                                      found.goal, run_result(request, found, true).output,
                                      found.job ? &*found.job : nullptr}));
  return run_result(request, found, json);
}

CommandResult run_table(const RunRequest& request, bool json) {
  const auto& [call, values, source, row, settings, sample, traces, goal, outputs] = request;
  if (outputs.any() || sample || request.wants("explain") || request.wants("job") ||
      request.wants("kernels") || request.wants("recipe"))
    throw InputError({}, "",
                     "--steps, traces, --report, --explain, --job, --kernels and --recipe are of "
                     "one row of the table; --row names it");
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
  const po::variables_map values = parse_options(call.arguments, kRunOptions);
  const bool json = wants_json(values);
  const std::optional<SampleRequest> sample = sample_of(values);
  const std::optional<TrainingGoal> goal = goal_of(values);
  const Traces traces = traces_of(values);
  if (const auto log = option_value(values, "step-log")) {
    if (!sample) throw InputError({}, "--step-log", "goes with --steps N");
    step_log_format(*log, "--step-log");
  }
  const std::vector<Setting> settings = parsed_settings(values);
  const std::string path = one_scenario(call, values, "run");
  OutputFiles outputs = outputs_of(call, values, path);
  check_against(values);
  if (values.count("against") > 0) {
    const ScenarioSource source = ScenarioSource::from_file(path);
    const std::string row = option_value(values, "row").value_or("");
    return run_against({call, values, source, path, row, settings, outputs}, json);
  }
  const RunRequest request{call,
                           values,
                           ScenarioSource::from_file(path),
                           option_value(values, "row").value_or(""),
                           settings,
                           sample,
                           traces,
                           goal,
                           outputs};
  const bool one = !request.row.empty() || !request.source.has_table();
  return one ? run_one(request, json) : run_table(request, json);
}

}  // namespace

const CommandRow kRunCommand{
    "run",
    "predicts a scenario",
    "simtrain scenarios/llama405b_a4_224.yaml",
    "Predicts a training step of the scenario, or of each row of its table. 'run' may be left out.",
    run_command,
    kRunOptions};

}  // namespace simtrain
