#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/program_files.h"
#include "sim/core/suggestion.h"
#include "sim/measured/logs/log_files.h"
#include "sim/measured/logs/log_format.h"
#include "sim/output/measured/metrics_report.h"
#include "sim/topology/specs/gpu_fields.h"
#include "sim/workload/model/fields/model_fields.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kHelp =
    "simtrain metrics LOG... [--steps WINDOW] [--format text|json|csv] [--summary]\n"
    "                 [--full-names]\n"
    "                 [--scenario FILE [--row NAME] [--set KEY=VALUE]...] [INPUT]...\n\n"
    "  LOG               a training log, plain or gzip, or a folder with log-*.out or\n"
    "                    dllogger.json\n"
    "  --steps WINDOW    11:44, 11:, last, last:20, all, or a tool's window by name\n"
    "                    ('simtrain list step-windows'); without it that of the tool\n"
    "                    for logs of this format\n"
    "  --log-format NAME one of 'simtrain list log-formats'; without it that of the\n"
    "                    first step\n"
    "  --format          text, json (simtrain.metrics/1) or csv\n"
    "  --summary         a line a run, as for several logs; --full-names does not\n"
    "                    shorten names\n"
    "  --scenario FILE   for what the log does not say\n\n"
    "  Inputs that count more than the log and the scenario:\n"
    "  --gpus N  --gbs N  --seq-length N  --precision bf16|fp8  --gpu NAME\n"
    "  --model NAME  --model-flops FLOPS (of a sample)\n"
    "  --peak-tflops TFLOPS  --convention NAME\n\n"
    "simtrain metrics --file LOG --batch_size N --num_accelerators N\n"
    "                 --model_type NAME|--model_flops FLOPS\n"
    "                 --accelerator_type NAME|--max_flops TFLOPS\n"
    "                 [--precision bf16|fp8] [--start_step 10] [--end_step 30]\n\n"
    "  The options of gpu-recipes' training_metrics tool print what it prints.\n";

/// The options that only training_metrics has.
constexpr std::array<const char*, 9> kToolOptions{"file",       "batch_size",  "num_accelerators",
                                                  "model_type", "model_flops", "accelerator_type",
                                                  "max_flops",  "start_step",  "end_step"};

using Names = std::vector<std::string>;

po::variables_map parse(const Names& arguments) {
  po::options_description options;
  const auto text = [] { return po::value<std::string>(); };
  const auto number = [] { return po::value<double>(); };
  const auto count = [] { return po::value<std::int64_t>(); };
  auto add = options.add_options();
  add("log", po::value<Names>())("set", po::value<Names>()->composing());
  add("summary", po::bool_switch())("full-names", po::bool_switch());
  add("format", text()->default_value("text"));
  for (const char* name : {"steps", "log-format", "scenario", "row", "precision", "gpu", "model",
                           "convention", "file", "model_type", "accelerator_type"})
    add(name, text());
  for (const char* name : {"model-flops", "peak-tflops", "model_flops", "max_flops"})
    add(name, number());
  for (const char* name :
       {"gpus", "gbs", "seq-length", "batch_size", "num_accelerators", "start_step", "end_step"})
    add(name, count());
  return parse_options(arguments, options, "log");
}

template <class T>
std::optional<T> given(const po::variables_map& values, const std::string& option) {
  if (values.count(option) == 0) return std::nullopt;
  return values[option].as<T>();
}

std::optional<double> positive(const po::variables_map& values, const std::string& option) {
  const auto value = given<double>(values, option);
  if (value && !(*value > 0 && *value < 1e300))
    throw InputError({}, "--" + option, "must be a number above 0");
  return value;
}

std::optional<double> count(const po::variables_map& values, const std::string& option) {
  const auto value = given<std::int64_t>(values, option);
  if (!value) return std::nullopt;
  if (*value < 1 || *value > 1'000'000'000)
    throw InputError({}, "--" + option, "must be a whole number from 1 to 1e9");
  return static_cast<double>(*value);
}

template <class T>
RunFacts::Fact<T> with_source(std::optional<T> value, const char* option) {
  if (!value) return std::nullopt;
  return Sourced<T>{std::move(*value), option};
}

template <Named E>
std::optional<E> named(const po::variables_map& values, const std::string& option) {
  const auto name = given<std::string>(values, option);
  if (!name) return std::nullopt;
  Names known;
  for (const auto& [row, value] : EnumNames<E>::rows) {
    if (row == *name) return value;
    known.emplace_back(row);
  }
  throw InputError({}, "--" + option,
                   fmt::format("'{}' is not known; {}", *name, suggestion(*name, known)));
}

/// A file of the data folder that an option names.
template <class T>
std::optional<T> loaded(const po::variables_map& values, const DataFolder& data,
                        std::string_view family, const std::string& option) {
  const auto name = given<std::string>(values, option);
  if (!name) return std::nullopt;
  return data.load<T>(family, *name, {}, "--" + option);
}

RunFacts option_facts(const po::variables_map& values, const DataFolder& data) {
  RunFacts facts;
  facts.gpus = with_source(count(values, "gpus"), "--gpus");
  facts.global_batch_size = with_source(count(values, "gbs"), "--gbs");
  facts.seq_length = with_source(count(values, "seq-length"), "--seq-length");
  facts.precision = with_source(named<Precision>(values, "precision"), "--precision");
  facts.gpu = with_source(loaded<GpuSpec>(values, data, "hardware/gpus", "gpu"), "--gpu");
  facts.model =
      with_source(loaded<ModelSpec>(values, data, "scenarios/models", "model"), "--model");
  facts.flops_per_sample = with_source(positive(values, "model-flops"), "--model-flops");
  facts.peak_tflops = with_source(positive(values, "peak-tflops"), "--peak-tflops");
  facts.convention = with_source(named<MfuConvention>(values, "convention"), "--convention");
  if (facts.model && facts.flops_per_sample)
    throw InputError({}, "--model-flops", "stands in place of --model; give one of them");
  return facts;
}

RunFacts scenario_facts(const po::variables_map& values, const CommandCall& call) {
  const auto path = given<std::string>(values, "scenario");
  const std::vector<Setting> settings = parsed_settings(values);
  const std::string row = given<std::string>(values, "row").value_or("");
  if (!path) {
    if (!row.empty()) throw InputError({}, "--row", "is a row of --scenario; name that too");
    if (!settings.empty()) throw InputError({}, "--set", "changes --scenario; name that too");
    return {};
  }
  const auto source = ScenarioSource::from_file(scenario_file(call, *path));
  if (source.has_table() && row.empty()) {
    throw InputError(
        {*path}, "--row",
        fmt::format("the scenario has a table; {}", suggestion("", source.row_names())));
  }
  const std::string origin = row.empty() ? *path : fmt::format("{}, {}", *path, row);
  return facts_of_scenario(source.scenario(call.data, row, settings), origin);
}

/// Runs of one name are told apart by their paths.
void name_runs(std::vector<MeasuredReport>& reports) {
  for (MeasuredReport& report : reports) report.name = run_name(report.run.path);
  for (MeasuredReport& report : reports) {
    const auto same = std::count_if(
        reports.begin(), reports.end(),
        [&](const MeasuredReport& other) { return run_name(other.run.path) == report.name; });
    if (same > 1) report.name = report.run.path;
  }
}

std::vector<MeasuredReport> read_all(const po::variables_map& values, const CommandCall& call) {
  const LogRequest request = log_request(values);
  const RunFacts options = option_facts(values, call.data);
  const RunFacts scenario = scenario_facts(values, call);
  std::vector<std::string> files;
  for (const std::string& path : values["log"].as<Names>()) {
    for (std::string& file : log_files(path)) files.push_back(std::move(file));
  }
  const Watch logs = call.console.bar("logs");
  const Watch bytes = call.console.bar("MB");
  std::vector<MeasuredReport> reports;
  reports.reserve(files.size());
  for (const std::string& file : files) {
    MeasuredReport report;
    report.run = read_log_file(file, request, files.size() == 1 ? bytes : Watch());
    report.facts = merge({options, facts_of_log(report.run.facts), scenario});
    report.metrics = run_metrics(report.run, report.facts.facts);
    reports.push_back(std::move(report));
    logs(reports.size(), files.size());
  }
  name_runs(reports);
  return reports;
}

/// What a table has no room for: why a run is no success, which lines were skipped.
std::string remarks(const std::vector<MeasuredReport>& reports) {
  std::string out;
  for (const MeasuredReport& report : reports) {
    const std::string skipped = skipped_text(report.run);
    if (report.metrics.why.empty() && skipped.empty()) continue;
    out += fmt::format("\n{}: {}{}\n{}", report.run.path, name_of(report.metrics.status),
                       report.metrics.why.empty() ? "" : ", " + report.metrics.why, skipped);
  }
  return out;
}

std::string printed(const po::variables_map& values, const std::vector<MeasuredReport>& reports,
                    const Console& console) {
  const auto& format = values["format"].as<std::string>();
  if (format == "json") return metrics_json(reports);
  if (format == "csv") {
    for (const MeasuredReport& report : reports) {
      const std::string skipped = skipped_text(report.run);
      if (!skipped.empty()) console.note(fmt::format("{}: {}", report.run.path, skipped));
    }
    return metrics_csv(reports);
  }
  if (reports.size() == 1 && !values["summary"].as<bool>()) return metrics_text(reports.front());
  return metrics_table(reports, values["full-names"].as<bool>()) + remarks(reports);
}

void check_format(const std::string& format) {
  const Names known{"text", "json", "csv"};
  if (std::find(known.begin(), known.end(), format) != known.end()) return;
  throw InputError({}, "--format",
                   fmt::format("'{}' is not known; {}", format, suggestion(format, known)));
}

template <class T>
T required(std::optional<T> value, const char* option) {
  if (!value) throw InputError({}, option, "is missing; the options of training_metrics need it");
  return *value;
}

/// The call as training_metrics takes it.
CommandResult tool_command(const po::variables_map& values, const Console& console) {
  for (const auto& [name, value] : values) {
    const bool known =
        std::find(kToolOptions.begin(), kToolOptions.end(), name) != kToolOptions.end();
    if (!known && name != "precision" && !value.defaulted())
      throw InputError({}, "--" + name, "does not go with the options of training_metrics");
  }
  TrainingMetricsRequest request;
  request.file = required(given<std::string>(values, "file"), "--file");
  request.batch_size = required(count(values, "batch_size"), "--batch_size");
  request.num_accelerators = required(count(values, "num_accelerators"), "--num_accelerators");
  request.precision = given<std::string>(values, "precision").value_or(request.precision);
  request.model_type = given<std::string>(values, "model_type");
  request.model_flops = positive(values, "model_flops");
  request.accelerator_type = given<std::string>(values, "accelerator_type");
  request.max_flops = positive(values, "max_flops");
  request.start_step = given<std::int64_t>(values, "start_step").value_or(request.start_step);
  request.end_step = given<std::int64_t>(values, "end_step").value_or(request.end_step);
  MeasuredRun run;
  const TrainingMetrics metrics = training_metrics(request, run);
  console.note(skipped_text(run));
  return for_programs(training_metrics_text(metrics));
}

CommandResult metrics_command(const CommandCall& call) {
  const po::variables_map values = parse(call.arguments);
  if (std::any_of(kToolOptions.begin(), kToolOptions.end(),
                  [&](const char* option) { return values.count(option) > 0; }))
    return tool_command(values, call.console);
  check_format(values["format"].as<std::string>());
  if (values.count("log") == 0)
    throw InputError({}, "", "metrics takes logs; 'simtrain help metrics' shows how");
  const std::vector<MeasuredReport> reports = read_all(values, call);
  const bool all = std::all_of(reports.begin(), reports.end(), [](const MeasuredReport& report) {
    return report.metrics.status == RunStatus::success ||
           report.metrics.status == RunStatus::partial;
  });
  return {printed(values, reports, call.console), all ? 0 : 1,
          values["format"].as<std::string>() != "text"};
}

}  // namespace

const CommandRow kMetricsCommand{"metrics", kHelp, "what training logs say: step time, TFLOPS, MFU",
                                 "simtrain metrics dllogger.json", metrics_command};

}  // namespace simtrain
