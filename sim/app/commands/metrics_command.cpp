#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sim/app/arguments/study_options.h"
#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/output_files.h"
#include "sim/app/program_files.h"
#include "sim/output/measured/metrics_html.h"
#include "sim/output/measured/metrics_report.h"
#include "sim/topology/specs/gpu_fields.h"
#include "sim/workload/model/fields/model_fields.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

constexpr std::array kMetricsOptions{
    OptionRow{.value = "LOG...",
              .help = "a training log, plain or gzip, or a folder with log-*.out or dllogger.json",
              .type = OptionType::argument},
    OptionRow{.name = "steps",
              .value = "WINDOW",
              .help = "11:44, 11:, last, last:20, all, or a tool's window by name ('simtrain list "
                      "step-windows'); without it that of the tool for logs of this format",
              .completes = "step-windows"},
    kLogFormatOption,
    OptionRow{.name = "format",
              .value = "text|json|csv",
              .help = "json: as simtrain.metrics/1",
              .preset = "text"},
    kReportOption,
    going_with(kForceOption, "report"),
    OptionRow{.name = "summary", .help = "a line a run, as for several logs"},
    OptionRow{.name = "full-names", .help = "does not shorten the names of runs"},
    OptionRow{.name = "scenario",
              .value = "FILE",
              .help = "for what the log does not say",
              .completes = "scenarios"},
    going_with(kRowOption, "scenario"),
    going_with(kSetOption, "scenario"),
    paragraph("Inputs that count more than the log and the scenario:"),
    OptionRow{.name = "gpus", .value = "N", .type = OptionType::whole},
    OptionRow{.name = "gbs", .value = "N", .type = OptionType::whole},
    OptionRow{.name = "seq-length",
              .value = "N",
              .help = "GPUs of the job, sequences of a step, tokens of a sequence",
              .type = OptionType::whole},
    OptionRow{.name = "precision",
              .value = "NAME",
              .help = "bf16, fp8: one of 'simtrain list precisions'",
              .completes = "precisions"},
    OptionRow{
        .name = "gpu", .value = "NAME", .help = "a name in hardware/gpus", .completes = "gpus"},
    OptionRow{.name = "model",
              .value = "NAME",
              .help = "a name in scenarios/models",
              .completes = "models"},
    OptionRow{.name = "model-flops",
              .value = "FLOPS",
              .help = "of a sample, in place of --model",
              .type = OptionType::number},
    OptionRow{.name = "peak-tflops",
              .value = "TFLOPS",
              .help = "of a GPU, which MFU is a share of",
              .type = OptionType::number},
    OptionRow{.name = "convention",
              .value = "NAME",
              .help = "how FLOPs are counted: one of 'simtrain list mfu-conventions'",
              .completes = "mfu-conventions"}};

/// The options of gpu-recipes' training_metrics, which it calls so.
constexpr std::array kToolOptions{
    paragraph("The options of gpu-recipes' training_metrics tool print what it prints:"),
    OptionRow{.name = "file", .value = "LOG", .help = "in place of LOG...", .required = true},
    OptionRow{.name = "batch_size", .value = "N", .type = OptionType::whole, .required = true},
    OptionRow{.name = "num_accelerators",
              .value = "N",
              .help = "sequences of a step, GPUs of the job",
              .type = OptionType::whole,
              .required = true},
    OptionRow{.name = "model_type", .value = "NAME"},
    OptionRow{.name = "model_flops",
              .value = "FLOPS",
              .help = "exactly one of the two: a model that it knows, or FLOPs of a sample",
              .type = OptionType::number},
    OptionRow{.name = "accelerator_type", .value = "NAME"},
    OptionRow{.name = "max_flops",
              .value = "TFLOPS",
              .help = "exactly one of the two: a GPU that it knows, or its peak",
              .type = OptionType::number},
    OptionRow{.name = "start_step", .value = "N", .type = OptionType::whole},
    OptionRow{.name = "end_step",
              .value = "N",
              .help = "the steps that count; 10 to 30 without them",
              .type = OptionType::whole}};
constexpr std::array<std::span<const OptionRow>, 1> kOtherMetricsOptions{kToolOptions};

bool is_tool_option(std::string_view name) {
  return std::any_of(kToolOptions.begin(), kToolOptions.end(),
                     [&](const OptionRow& row) { return row.is_option() && row.name == name; });
}

std::optional<double> positive(const po::variables_map& values, const std::string& option) {
  const auto value = option_value<double>(values, option);
  if (value && !(*value > 0 && *value < 1e300))
    throw InputError({}, "--" + option, "must be a number above 0");
  return value;
}

std::optional<double> count(const po::variables_map& values, const std::string& option) {
  const auto value = option_value<std::int64_t>(values, option);
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
  if (values.count(option) == 0) return std::nullopt;
  return named_option<E>(values, option);
}

/// A file of the data folder that an option names.
template <class T>
std::optional<T> loaded(const po::variables_map& values, const DataFolder& data,
                        std::string_view family, const std::string& option) {
  const auto name = option_value(values, option);
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
    throw InputError({}, "--model-flops", "is given beside --model; give one of them");
  return facts;
}

/// The file of --scenario.
std::optional<std::string> scenario_path(const po::variables_map& values, const CommandCall& call) {
  const auto path = option_value(values, "scenario");
  if (!path) return std::nullopt;
  return scenario_file(call, *path);
}

RunFacts scenario_facts(const po::variables_map& values, const CommandCall& call,
                        const std::optional<std::string>& file) {
  const auto path = option_value(values, "scenario");
  const std::vector<Setting> settings = parsed_settings(values);
  const std::string row = option_value(values, "row").value_or("");
  if (!path) {
    if (!row.empty()) throw InputError({}, "--row", "is a row of --scenario; name that too");
    if (!settings.empty()) throw InputError({}, "--set", "changes --scenario; name that too");
    return {};
  }
  const auto source = ScenarioSource::from_file(*file);
  require_row(source, *path, row);
  const std::string origin = row.empty() ? *path : fmt::format("{}, {}", *path, row);
  return facts_of_scenario(source.scenario(call.data, row, settings), origin);
}

std::vector<MeasuredReport> read_all(const po::variables_map& values, const CommandCall& call,
                                     const std::optional<std::string>& scenario) {
  return measured_reports(plain_arguments(values), log_request(values),
                          {option_facts(values, call.data), scenario_facts(values, call, scenario)},
                          call.console.bar("logs"), call.console.bar("MB"));
}

OutputFiles metrics_outputs(const CommandCall& call, const po::variables_map& values,
                            const std::optional<std::string>& scenario) {
  OutputFiles outputs(values);
  for (const std::string& path : plain_arguments(values)) outputs.reads("a log", path);
  outputs.reads_hardware(call.data);
  if (scenario) outputs.reads("the scenario", *scenario);
  outputs.writes("report", kPageFile);
  return outputs;
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
  if (reports.size() == 1 && !is_on(values, "summary")) return metrics_text(reports.front());
  return metrics_table(reports, is_on(values, "full-names"));
}

template <class T>
T required(std::optional<T> value, const char* option) {
  if (!value) throw InputError({}, option, "is missing; the options of training_metrics need it");
  return *value;
}

/// The call as training_metrics takes it.
CommandResult tool_command(const po::variables_map& values, const Console& console) {
  for (const auto& [name, value] : values) {
    if (is_tool_option(name) && !value.defaulted() && !plain_arguments(values).empty())
      throw InputError({}, "--" + name, "goes with --file LOG, without another log");
    if (!is_tool_option(name) && name != "precision" && !value.defaulted())
      throw InputError({}, "--" + name, "does not go with the options of training_metrics");
  }
  TrainingMetricsRequest request;
  request.file = required(option_value(values, "file"), "--file");
  request.batch_size = required(count(values, "batch_size"), "--batch_size");
  request.num_accelerators = required(count(values, "num_accelerators"), "--num_accelerators");
  request.precision = option_value(values, "precision").value_or(request.precision);
  request.model_type = option_value(values, "model_type");
  request.model_flops = positive(values, "model_flops");
  request.accelerator_type = option_value(values, "accelerator_type");
  request.max_flops = positive(values, "max_flops");
  request.start_step =
      option_value<std::int64_t>(values, "start_step").value_or(request.start_step);
  request.end_step = option_value<std::int64_t>(values, "end_step").value_or(request.end_step);
  if (request.start_step > request.end_step)
    throw InputError({}, "--start_step",
                     fmt::format("{} comes behind the last step that counts, {}",
                                 request.start_step, request.end_step));
  MeasuredRun run;
  const TrainingMetrics metrics = training_metrics(request, run);
  console.note(skipped_text(run));
  return for_programs(training_metrics_text(metrics));
}

CommandResult metrics_command(const CommandCall& call) {
  const po::variables_map values =
      parse_options(call.arguments, joined(kMetricsOptions, kToolOptions));
  if (std::any_of(values.begin(), values.end(),
                  [](const auto& value) { return is_tool_option(value.first); }))
    return tool_command(values, call.console);
  if (plain_arguments(values).empty())
    throw InputError({}, "", "metrics takes logs; 'simtrain help metrics' shows how");
  const std::optional<std::string> scenario = scenario_path(values, call);
  OutputFiles outputs = metrics_outputs(call, values, scenario);
  outputs.start();
  const std::vector<MeasuredReport> reports = read_all(values, call, scenario);
  if (outputs.any()) outputs.write("report", metrics_html(reports));
  const bool all = std::all_of(reports.begin(), reports.end(), [](const MeasuredReport& report) {
    return report.metrics.status == RunStatus::success ||
           report.metrics.status == RunStatus::partial;
  });
  return {printed(values, reports, call.console), all ? 0 : 1,
          values["format"].as<std::string>() != "text"};
}

}  // namespace

const CommandRow kMetricsCommand{
    "metrics",
    "what training logs say: step time, TFLOPS, MFU",
    "simtrain metrics dllogger.json",
    "Reads training logs and prints step time, throughput, TFLOP/s and MFU. Exits with 1 where a "
    "run has no figures.",
    metrics_command,
    kMetricsOptions,
    kOtherMetricsOptions};

}  // namespace simtrain
