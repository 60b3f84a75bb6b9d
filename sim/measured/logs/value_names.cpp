#include "sim/measured/logs/value_names.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/core/input/text_parts.h"
#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

struct ValueName {
  std::string_view name;
  LoggedValue meaning;
};

/// What columns are called: by the frameworks, by their TensorBoard and Weights & Biases exports,
/// and by simtrain.
constexpr std::array<ValueName, 37> kValueNames{{
    {"step", LoggedValue::number},
    {"Step", LoggedValue::number},
    {"_step", LoggedValue::number},
    {"global_step", LoggedValue::number},
    {"trainer/global_step", LoggedValue::number},
    {"iteration", LoggedValue::number},
    {"step_time_s", LoggedValue::seconds},
    {"train_step_timing in s", LoggedValue::seconds},
    {"train_step_timing", LoggedValue::seconds},
    {"iteration-time", LoggedValue::seconds},
    {"step_time_ms", LoggedValue::milliseconds},
    {"elapsed time per iteration (ms)", LoggedValue::milliseconds},
    {"tflops_per_gpu", LoggedValue::tflops},
    {"TFLOPS_per_GPU", LoggedValue::tflops},
    {"throughput per GPU (TFLOP/s/GPU)", LoggedValue::tflops},
    {"loss", LoggedValue::loss},
    {"lm loss", LoggedValue::loss},
    {"reduced_train_loss", LoggedValue::loss},
    {"consumed_samples", LoggedValue::samples},
    {"consumed samples", LoggedValue::samples},
    {"global_batch_size", LoggedValue::batch},
    // torchtitan
    {"time_metrics/end_to_end(s)", LoggedValue::seconds},
    {"tflops", LoggedValue::tflops},
    {"loss_metrics/global_avg_loss", LoggedValue::loss},
    // MaxText
    {"perf/step_time_seconds", LoggedValue::seconds},
    {"perf/per_device_tflops_per_sec", LoggedValue::tflops},
    {"learning/loss", LoggedValue::loss},
    // nanotron
    {"iteration_step", LoggedValue::number},
    {"elapsed_time_per_iteration_ms", LoggedValue::milliseconds},
    {"model_tflops_per_gpu", LoggedValue::tflops},
    {"lm_loss", LoggedValue::loss},
    // Composer
    {"throughput/batches_per_sec", LoggedValue::rate},
    {"time/batch", LoggedValue::number},
    {"loss/train/total", LoggedValue::loss},
    // TensorBoard's own export, which does not say what its values are
    {"Wall time", LoggedValue::clock},
    {"_timestamp", LoggedValue::clock},
    {"_runtime", LoggedValue::clock},
}};

}  // namespace

/// Weights & Biases put the run's name before: `run-7 - train_step_timing in s`.
std::optional<LoggedValue> logged_value(std::string_view name) {
  const std::size_t dash = name.rfind(" - ");
  if (dash != std::string_view::npos) name.remove_prefix(dash + 3);
  name = trimmed(name);
  const auto found = std::find_if(kValueNames.begin(), kValueNames.end(),
                                  [&](const ValueName& row) { return row.name == name; });
  return found == kValueNames.end() ? std::nullopt : std::optional(found->meaning);
}

bool is_step_time(LoggedValue value) {
  return value == LoggedValue::seconds || value == LoggedValue::milliseconds ||
         value == LoggedValue::rate;
}

void set_value(LoggedValue meaning, double value, StepRecord& record) {
  switch (meaning) {
    case LoggedValue::seconds:
      record.step.seconds = value;
      break;
    case LoggedValue::milliseconds:
      record.step.seconds = value / 1e3;
      break;
    case LoggedValue::rate:
      record.step.seconds = 1 / value;
      break;
    case LoggedValue::tflops:
      record.step.tflops = value;
      break;
    case LoggedValue::loss:
      record.step.loss = static_cast<float>(value);
      record.step.finite = std::isfinite(value);
      break;
    case LoggedValue::samples:
      record.consumed_samples = value;
      break;
    case LoggedValue::batch:
      record.global_batch_size = value;
      break;
    case LoggedValue::number:
    case LoggedValue::clock:
      break;
  }
}

}  // namespace simtrain
