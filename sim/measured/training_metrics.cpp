#include "sim/measured/training_metrics.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/core/input/scalar_text.h"
#include "sim/core/suggestion.h"
#include "sim/measured/logs/log_format.h"
#include "sim/measured/run_metrics.h"
#include "sim/run/figures/metrics.h"
#include "sim/run/figures/training_metrics_tables.h"

namespace simtrain {
namespace {

template <class Rows>
const auto& row_of(const Rows& rows, const std::string& name, const char* option) {
  std::vector<std::string> known;
  known.reserve(rows.size());
  for (const auto& row : rows) {
    if (row.name == name) return row;
    known.emplace_back(row.name);
  }
  throw InputError(
      {}, option,
      fmt::format("'{}' is not in the tool's table; {}", name, suggestion(name, known)));
}

void check_one_of(bool first, bool second, const char* option, const char* other) {
  if (first == second) throw InputError({}, option, fmt::format("give either this or {}", other));
}

double flops_per_sample(const TrainingMetricsRequest& request) {
  check_one_of(request.model_type.has_value(), request.model_flops.has_value(), "--model_type",
               "--model_flops");
  if (request.model_flops) return *request.model_flops;
  return row_of(training_metrics_models(), *request.model_type, "--model_type").flops_per_sample;
}

double peak_tflops(const TrainingMetricsRequest& request) {
  check_one_of(request.accelerator_type.has_value(), request.max_flops.has_value(),
               "--accelerator_type", "--max_flops");
  if (request.precision != "bf16" && request.precision != "fp8") {
    throw InputError({}, "--precision",
                     fmt::format("'{}' is not known; bf16 or fp8 would do", request.precision));
  }
  if (request.max_flops) return *request.max_flops;
  const TrainingMetricsAccelerator& row =
      row_of(training_metrics_accelerators(), *request.accelerator_type, "--accelerator_type");
  const double peak = request.precision == "fp8" ? row.fp8_tflops : row.bf16_tflops;
  if (peak == 0) {
    throw InputError(
        {}, "--precision",
        fmt::format("the tool's table has no {} rate of '{}'", request.precision, row.name));
  }
  return peak;
}

}  // namespace

TrainingMetrics training_metrics(const TrainingMetricsRequest& request, MeasuredRun& run) {
  const double flops = flops_per_sample(request);
  const double peak = peak_tflops(request);
  StepWindow window;
  window.first = request.start_step;
  window.last = request.end_step;
  run = read_log_file(request.file, {window, std::string(kDlloggerLog.name)});
  if (run.steps.empty()) {
    throw InputError({request.file}, "",
                     run.steps_seen == 0
                         ? "holds no DLLogger record with 'train_step_timing in s'"
                         : fmt::format("holds steps {} to {}, none of {} to {}", run.first_step,
                                       run.last_step, window.first, window.last));
  }
  std::vector<double> seconds;
  seconds.reserve(run.steps.size());
  for (const MeasuredStep& step : run.steps) seconds.push_back(step.seconds);
  TrainingMetrics metrics;
  metrics.average_step_time_s = statistics(seconds, window.deviation).mean;
  metrics.tflops_per_accelerator = tflops_per_gpu(
      flops, request.batch_size, metrics.average_step_time_s, request.num_accelerators);
  metrics.mfu = model_flops_utilization(metrics.tflops_per_accelerator, peak);
  return metrics;
}

}  // namespace simtrain
