#include "sim/run/figures/metrics.h"

#include "sim/core/quantity.h"
#include "sim/run/figures/training_metrics_tables.h"
#include "sim/workload/model/layers/model_parts.h"

namespace simtrain {

namespace {

std::optional<double> tabled_flops(const ModelSpec& model, std::int64_t seq_length) {
  for (const TrainingMetricsModel& known : training_metrics_models()) {
    if (known.name == model.name && known.num_layers == model.num_layers &&
        known.seq_length == seq_length)
      return known.flops_per_sample;
  }
  return {};
}

}  // namespace

double counted_square(MfuConvention convention) {
  if (convention == MfuConvention::nvidia_dgxc_finetune) return 0;
  return convention == MfuConvention::causal ? 0.5 : 1;
}

double model_flops_per_sample(const ModelSpec& model, std::int64_t seq_length,
                              MfuConvention convention) {
  Recipe recipe;
  recipe.model = model;
  recipe.training.seq_length = seq_length;
  return model_flops_per_sample(recipe, convention);
}

double model_flops_per_sample(const Recipe& recipe, MfuConvention convention) {
  const std::int64_t seq_length = recipe.training.seq_length;
  if (convention == MfuConvention::google_training_metrics && !recipe.lora) {
    if (const auto known = tabled_flops(recipe.model, seq_length)) return *known;
  }
  ModelSpec counted = recipe.model;
  if (convention == MfuConvention::nvidia_dgxc_mha)
    counted.num_query_groups = counted.num_attention_heads;
  const ModelFlops forward = model_flops(counted, seq_length, recipe.packed_sequences);
  const double trained = recipe.lora ? 2.0 / 3 : 1;
  return 3 * (trained * forward.products + counted_square(convention) * forward.attention_square);
}

double tokens_per_second(double seq_length, double global_batch_size, double step_time_s) {
  return seq_length * global_batch_size / step_time_s;
}

double days_per_trillion_tokens(double tokens_per_s) {
  return 1e12 / tokens_per_s / kSecondsPerDay;
}

double tflops_per_gpu(double flops_per_sample, double global_batch_size, double step_time_s,
                      double gpus) {
  return flops_per_sample * global_batch_size / step_time_s / gpus / 1e12;
}

double model_flops_utilization(double tflops, double peak_tflops) { return tflops / peak_tflops; }

}  // namespace simtrain
