#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/options.h"
#include "sim/app/program_files.h"
#include "sim/core/text_file.h"
#include "sim/output/explain_report.h"
#include "sim/output/json_report.h"
#include "sim/output/nccl_trace.h"
#include "sim/output/run_html.h"
#include "sim/output/text_report.h"
#include "sim/output/trace.h"
#include "sim/run/played.h"
#include "sim/run/sampled_steps.h"

namespace simtrain {

namespace po = boost::program_options;

namespace {

constexpr std::string_view kHelp =
    "simtrain [run] SCENARIO.yaml [--row NAME] [--set KEY=VALUE]...\n"
    "               [--format text|json] [--steps N [--seed N]] [--unfold]\n"
    "               [--trace FILE [--trace-ranks LIST] [--trace-microbatches LIST]]\n"
    "               [--nccl-trace FILE] [--report FILE.html] [--explain]\n\n"
    "  --row NAME        one row of the scenario's table; without it all rows, a line\n"
    "                    each\n"
    "  --set KEY=VALUE   changes any dotted key; tp, pp, vp, cp, ep, mbs, gbs, nodes,\n"
    "                    precision for short\n"
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
    "                    changed and each cost removed, simulated anew\n";

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
      "explain", po::bool_switch());
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
  if (values.count("nccl-trace") > 0) {
    traces.nccl = values["nccl-trace"].as<std::string>();
    check_writable(*traces.nccl, true);
  }
  if (!traces.any() && traces.ranks)
    throw InputError({}, "--trace-ranks", "goes with --trace FILE or --nccl-trace FILE");
  if (!traces.timeline && micro_batches)
    throw InputError({}, "--trace-microbatches", "goes with --trace FILE");
  return traces;
}

void write_traces(const Console& console, const Played& played, const Traces& traces) {
  if (traces.nccl) write_nccl_trace(played, *traces.nccl, traces.ranks);
  if (!traces.timeline) return;
  const std::string missing = write_trace(played, *traces.timeline);
  if (missing.empty()) return;
  console.note(fmt::format(
      "simtrain: note: {} leaves out {}; --trace-ranks and --trace-microbatches choose others\n",
      traces.timeline->path, missing));
}

/// Refused before the step is played, not after it.
void check_report(const po::variables_map& values, const Traces& traces) {
  std::vector<NamedFile> files;
  if (traces.timeline) files.push_back({"--trace", "the file of --trace", traces.timeline->path});
  if (traces.nccl) files.push_back({"--nccl-trace", "the file of --nccl-trace", *traces.nccl});
  if (values.count("report") > 0)
    files.push_back({"--report", "the page", values["report"].as<std::string>()});
  check_apart(files);
  if (values.count("report") > 0) check_page(values["report"].as<std::string>());
}

CommandResult run_command(const CommandCall& call) {
  const po::variables_map values = parse_options(call.arguments, options_of_run(), "scenario");
  const auto files = values["scenario"].as<std::vector<std::string>>();
  if (files.size() != 1 || files.front().empty())
    throw InputError({}, "", "run takes one scenario file; 'simtrain help run' shows how");
  const bool json = wants_json(values);
  const std::optional<SampleRequest> sample = sample_of(values);
  const Traces traces = traces_of(values);
  check_report(values, traces);
  const std::vector<Setting> settings = parsed_settings(values);
  const auto source = ScenarioSource::from_file(scenario_file(call, files.front()));
  const bool unfold = values["unfold"].as<bool>();
  const auto& row = values["row"].as<std::string>();
  if (!row.empty() || !source.has_table()) {
    const Scenario scenario = source.scenario(call.data, row, settings);
    const Played played(scenario, {unfold, nullptr, call.console.bar("operations")});
    Report report = report_of(played);
    if (sample) report.sample = sampled_steps(report, sample->count, sample->seed);
    write_traces(call.console, played, traces);
    std::optional<Explanation> why;
    if (values["explain"].as<bool>())
      why = explain({source, call.data, row, settings}, played, call.console.bar("changes"));
    if (values.count("report") > 0)
      write_text_file(
          values["report"].as<std::string>(),
          run_html(played, report, provenance_of(call.data, source.tree(row, settings)), why),
          true);
    if (why)
      return {json ? json_report(report, *why) : text_report(report) + explanation_text(*why), 0,
              json};
    return {json ? json_report(report) : text_report(report), 0, json};
  }
  if (traces.any() || sample || values.count("report") > 0 || values["explain"].as<bool>())
    throw InputError(
        {}, "",
        "--steps, traces, --report and --explain are of one row of the table; --row names it");
  std::vector<Report> reports;
  const std::vector<std::string> names = source.row_names();
  const Watch bar = call.console.bar("rows");
  for (const std::string& name : names) {
    reports.push_back(simulate(source.scenario(call.data, name, settings), {unfold}));
    bar(reports.size(), names.size());
  }
  return {json ? json_table(names, reports) : text_table(names, reports), 0, json};
}

}  // namespace

const CommandRow kRunCommand{"run", kHelp, "predicts a scenario",
                             "simtrain scenarios/llama405b_a4_224.yaml", run_command};

}  // namespace simtrain
