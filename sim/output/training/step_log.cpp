#include "sim/output/training/step_log.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/core/input/input_error.h"
#include "sim/core/input/number_text.h"
#include "sim/core/invariant.h"
#include "sim/measured/run/step_window.h"
#include "sim/measured/run_metrics.h"

namespace simtrain {
namespace {

using LogJson = nlohmann::ordered_json;

double number_in_log(const std::string& text) {
  const auto number = number_as<double>(text);
  invariant(number.has_value(), "logs hold numbers");
  return *number;
}

double tflops_at(const Report& report, double seconds) {
  return seconds > 0 ? report.tflops_per_gpu * report.step_time_s / seconds : 0;
}

/// A log's own clock begins with the first step: nobody knows when it will run.
LogJson dllogger_head(double elapsed_s) {
  const auto whole = static_cast<std::int64_t>(elapsed_s);
  constexpr std::int64_t kSecondsOfDay = 86400;
  const std::int64_t of_day = whole % kSecondsOfDay;
  return {{"timestamp", fmt::format("{:.6f}", elapsed_s)},
          {"datetime", fmt::format("day {} {:02}:{:02}:{:02}", whole / kSecondsOfDay, of_day / 3600,
                                   of_day / 60 % 60, of_day % 60)},
          {"elapsedtime", fmt::format("{:.6f}", elapsed_s)},
          {"type", "LOG"}};
}

LogJson dllogger_configuration(const Report& report) {
  const ScenarioFile& keys = report.recipe.keys;
  const PrecisionRow& precision = row_of(keys.training.precision);
  LogJson record = dllogger_head(0);
  record["step"] = "PARAMETER";
  record["data"] = {{"cfg/global_batch_size", keys.training.global_batch_size},
                    {"cfg/encoder_seq_length", keys.training.seq_length},
                    {"cfg/precision", precision.keeps_master_weights() ? "bf16-mixed" : "32-true"},
                    {"cfg/fp8", precision.quantized()},
                    {"world_size", report.gpus},
                    {"simtrain/scenario", report.scenario}};
  return record;
}

/// `DLLL {...}`, a line a record, as NeMo 1 writes it.
std::string dllogger_text(const Report& report, const std::vector<RunStep>& steps,
                          const std::vector<std::string>& numbers) {
  std::string text = fmt::format("DLLL {}\n", dllogger_configuration(report).dump());
  const std::int64_t batch = report.recipe.keys.training.global_batch_size;
  double elapsed_s = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    elapsed_s += steps[i].seconds;
    const double seconds = number_in_log(numbers[i]);
    LogJson record = dllogger_head(elapsed_s);
    record["step"] = i;
    record["data"] = {{"global_step", i},
                      {"consumed_samples", static_cast<std::int64_t>(i + 1) * batch},
                      {"train_step_timing in s", seconds},
                      {"TFLOPS_per_GPU", tflops_at(report, seconds)},
                      {"peak_memory_usage", static_cast<std::int64_t>(report.peak_bytes())}};
    text += fmt::format("DLLL {}\n", record.dump());
    elapsed_s += steps[i].after_s;
  }
  return text;
}

/// A line a step, with the fields of NeMo 2's that a simulator knows.
std::string nemo_text(const Report& report, const std::vector<RunStep>& steps,
                      const std::vector<std::string>& numbers) {
  std::string text;
  const std::int64_t batch = report.recipe.keys.training.global_batch_size;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    text += fmt::format(
        "Training epoch 0, iteration {}/{} | global_batch_size: {} | global_step: {} | "
        "peak_memory_usage: {:.0f} | train_step_timing in s: {} | TFLOPS_per_GPU: {:.4g} | "
        "consumed_samples: {}\n",
        i, steps.size() - 1, batch, i, report.peak_bytes(), numbers[i],
        tflops_at(report, number_in_log(numbers[i])), static_cast<std::int64_t>(i + 1) * batch);
  }
  return text;
}

/// The timer of NeMo 1 keeps the last five steps and logs their mean.
const StepLogFormat kDlloggerSteps{
    &kDlloggerLog, 5, [](double seconds) { return fmt::format("{}", seconds); }, dllogger_text};
const StepLogFormat kNemoSteps{
    &kNemoLog, 1, [](double seconds) { return fmt::format("{:.4g}", seconds); }, nemo_text};

std::vector<std::string> logged_numbers(const StepLogFormat& format,
                                        const std::vector<RunStep>& steps) {
  std::vector<std::string> numbers;
  numbers.reserve(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::size_t count = std::min(i + 1, format.mean_of);
    double sum = 0;
    for (std::size_t k = i + 1 - count; k <= i; ++k) sum += steps[k].seconds;
    numbers.push_back(format.number(sum / static_cast<double>(count)));
  }
  return numbers;
}

/// What the tool of the format's window makes of the log.
std::string figures_of(const LogFormat& reader, const std::vector<std::string>& numbers) {
  const StepWindow window = parse_window(std::string(reader.window), "");
  std::vector<double> values;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (window.holds(static_cast<std::int64_t>(i))) values.push_back(number_in_log(numbers[i]));
  }
  if (values.empty()) return fmt::format("too short for {} ({})", reader.window, describe(window));
  const Statistics steps = statistics(values, window.deviation);
  return fmt::format("{} ({}) reads {:.3f} s{}", reader.window, describe(window), steps.mean,
                     steps.std ? fmt::format(", std {:.3f} s", *steps.std) : "");
}

}  // namespace

const StepLogFormat& step_log_format(const std::string& path, const std::string& key) {
  if (path.ends_with(".json")) return kDlloggerSteps;
  if (path.ends_with(".log") || path.ends_with(".out")) return kNemoSteps;
  throw InputError({path}, key,
                   "ends in neither .json (DLLogger) nor .log or .out (NeMo 2); one would do");
}

StepLog step_log(const StepLogFormat& format, const Report& report,
                 const std::vector<RunStep>& steps) {
  const std::vector<std::string> numbers = logged_numbers(format, steps);
  double all = 0;
  for (const RunStep& step : steps) all += step.seconds + step.after_s;
  return {format.text(report, steps, numbers),
          fmt::format("{}: {} steps in {:.1f} s; {}", format.reader->name, steps.size(), all,
                      figures_of(*format.reader, numbers))};
}

}  // namespace simtrain
