#include "sim/measured/run_metrics.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/measured/logs/log_format.h"

namespace simtrain {
namespace {

/// Of a log without a step.
std::string no_step(const MeasuredRun& run) {
  std::vector<std::string_view> known;
  known.reserve(log_formats().size());
  for (const LogFormat* format : log_formats()) known.push_back(format->name);
  return fmt::format("{}{}; formats that are read: {}", "the log holds no step that can be read",
                     run.foreign.empty() ? "" : ": it " + run.foreign, fmt::join(known, ", "));
}

void set_status(const MeasuredRun& run, RunMetrics& metrics) {
  const bool finite = std::all_of(run.steps.begin(), run.steps.end(),
                                  [](const MeasuredStep& step) { return step.finite; });
  if (run.steps.empty()) {
    metrics.status = RunStatus::no_steps;
    metrics.why = run.steps_seen == 0
                      ? no_step(run)
                      : fmt::format("the log holds steps {} to {}, not {}", run.first_step,
                                    run.last_step, describe(run.window));
  } else if (!finite) {
    metrics.status = RunStatus::not_a_number;
    metrics.why = "a loss or gradient norm is NaN or infinite";
  } else if (run.missed) {
    metrics.status = RunStatus::partial;
    metrics.why = fmt::format("the log holds {} of {}; {} {} instead",
                              run.missed->held == 0 ? "none" : "one", describe(run.missed->window),
                              describe(run.window), run.steps.size() == 1 ? "counts" : "count");
  } else if (run.window.last != StepWindow::kNoEnd && run.last_step < run.window.last) {
    metrics.status = RunStatus::partial;
    metrics.why = fmt::format("the log ends at step {}", run.last_step);
  }
}

std::vector<double> logged_tflops(const MeasuredRun& run) {
  std::vector<double> values;
  for (const MeasuredStep& step : run.steps) {
    if (step.tflops > 0 && std::isfinite(step.tflops)) values.push_back(step.tflops);
  }
  return values;
}

/// Notes what is not known of the needs of some figures; true where all is.
bool all_known(const std::vector<std::pair<bool, std::string_view>>& needs,
               std::string_view figures, RunMetrics& metrics) {
  std::vector<std::string_view> unknown;
  for (const auto& [known, what] : needs) {
    if (!known) unknown.push_back(what);
  }
  if (unknown.empty()) return true;
  metrics.missing.push_back(fmt::format("{}: not known {} {}", figures,
                                        unknown.size() == 1 ? "is" : "are",
                                        fmt::join(unknown, ", ")));
  return false;
}

void set_throughput(const RunFacts& facts, double step_time_s, RunMetrics& metrics) {
  if (!all_known({{facts.global_batch_size.has_value(), "the global batch size (--gbs)"},
                  {facts.seq_length.has_value(), "the sequence length (--seq-length)"}},
                 "tokens/s", metrics))
    return;
  const double tokens =
      tokens_per_second(facts.seq_length->value, facts.global_batch_size->value, step_time_s);
  metrics.tokens_per_s = tokens;
  metrics.days_per_1t_tokens = days_per_trillion_tokens(tokens);
  if (facts.gpus) metrics.tokens_per_s_per_gpu = tokens / facts.gpus->value;
}

void set_flops(const RunFacts& facts, RunMetrics& metrics) {
  if (facts.flops_per_sample) {
    metrics.flops_per_sample = facts.flops_per_sample->value;
  } else if (facts.model && facts.seq_length) {
    metrics.flops_per_sample = model_flops_per_sample(
        facts.model->value, static_cast<std::int64_t>(facts.seq_length->value), metrics.convention);
  }
}

void set_rate(const RunFacts& facts, double step_time_s, RunMetrics& metrics) {
  set_flops(facts, metrics);
  const bool has_model = facts.model || facts.flops_per_sample;
  if (!all_known({{has_model, "the model (--model or --model-flops)"},
                  {!has_model || metrics.flops_per_sample, "the sequence length (--seq-length)"},
                  {facts.global_batch_size.has_value(), "the global batch size (--gbs)"},
                  {facts.gpus.has_value(), "the number of GPUs (--gpus)"}},
                 "TFLOP/s of the model", metrics))
    return;
  metrics.tflops_per_gpu = tflops_per_gpu(*metrics.flops_per_sample, facts.global_batch_size->value,
                                          step_time_s, facts.gpus->value);
}

void set_utilization(const RunFacts& facts, RunMetrics& metrics) {
  if (facts.peak_tflops) {
    metrics.peak_tflops_per_gpu = facts.peak_tflops->value;
  } else if (facts.gpu && facts.precision) {
    metrics.peak_tflops_per_gpu =
        facts.gpu->value.peak(row_of(facts.precision->value).peak).value() / 1e12;
  }
  std::optional<double> achieved = metrics.tflops_per_gpu;
  if (!achieved && metrics.logged_tflops) achieved = metrics.logged_tflops->mean;
  if (!achieved) return;
  const bool peak = metrics.peak_tflops_per_gpu.has_value();
  if (!all_known({{peak || facts.gpu, "the type of GPU (--gpu or --peak-tflops)"},
                  {peak || facts.precision, "the precision (--precision)"}},
                 "MFU", metrics))
    return;
  const double mfu = model_flops_utilization(*achieved, *metrics.peak_tflops_per_gpu);
  if (mfu <= 1) {
    metrics.mfu = mfu;
  } else {
    metrics.missing.push_back(fmt::format(
        "MFU: {:.1f} % of the peak is more than a GPU gives: the batch, sequence length, "
        "model, GPUs or precision are not those of the run",
        mfu * 100));
  }
}

}  // namespace

Statistics statistics(const std::vector<double>& values, DeviationKind kind) {
  const auto count = static_cast<double>(values.size());
  Statistics result;
  for (const double value : values) result.mean += value;
  result.mean /= count;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  const double divisor = kind == DeviationKind::sample ? count - 1 : count;
  if (values.size() > 1) result.std = std::sqrt(squares / divisor);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  result.min = *least;
  result.max = *most;
  return result;
}

std::optional<double> mean_of(const std::optional<Statistics>& figure) {
  return figure ? std::optional(figure->mean) : std::nullopt;
}

std::optional<double> deviation_of(const std::optional<Statistics>& figure) {
  return figure ? figure->std : std::nullopt;
}

std::string window_text(const MeasuredRun& run) {
  const std::string steps = describe(run.window);
  if (run.tool.empty()) return steps + ", as asked for";
  if (run.window.newest > 0) return steps + ", the default for such logs";
  if (!run.missed) return fmt::format("{}, the window of {}", steps, run.tool);
  const std::string missed = fmt::format("{} ({})", run.tool, describe(run.missed->window));
  if (run.missed->warm_up == 0)
    return fmt::format("{}, all that the log holds, in place of {}", steps, missed);
  return fmt::format(
      "{}, what the log holds without its first {} (warm-up), in place of {}", steps,
      run.missed->warm_up == 1 ? "step" : fmt::format("{} steps", run.missed->warm_up), missed);
}

RunMetrics run_metrics(const MeasuredRun& run, const RunFacts& facts) {
  RunMetrics metrics;
  set_status(run, metrics);
  if (facts.convention) metrics.convention = facts.convention->value;
  if (run.steps.empty()) return metrics;
  std::vector<double> seconds;
  seconds.reserve(run.steps.size());
  for (const MeasuredStep& step : run.steps) seconds.push_back(step.seconds);
  metrics.step_time_s = statistics(seconds, run.window.deviation);
  const std::vector<double> tflops = logged_tflops(run);
  if (!tflops.empty()) metrics.logged_tflops = statistics(tflops, run.window.deviation);
  set_throughput(facts, metrics.step_time_s->mean, metrics);
  set_rate(facts, metrics.step_time_s->mean, metrics);
  set_utilization(facts, metrics);
  return metrics;
}

}  // namespace simtrain
