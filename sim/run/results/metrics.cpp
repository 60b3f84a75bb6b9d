#include "sim/run/results/metrics.h"

#include "sim/run/results/training_metrics_tables.h"

namespace simtrain {

double model_flops_per_sample(const ModelSpec& model, std::int64_t seq_length,
                              MfuConvention convention) {
  if (convention == MfuConvention::google_training_metrics) {
    for (const TrainingMetricsModel& known : training_metrics_models()) {
      if (known.name == model.name && known.num_layers == model.num_layers &&
          known.seq_length == seq_length) {
        return known.flops_per_sample;
      }
    }
  }
  const auto layers = static_cast<double>(model.num_layers);
  const auto hidden = static_cast<double>(model.hidden_size);
  const auto ffn = static_cast<double>(model.ffn_hidden_size);
  const auto sequence = static_cast<double>(seq_length);
  const double groups =
      convention == MfuConvention::nvidia_dgxc_mha
          ? 1.0
          : static_cast<double>(model.num_query_groups) / model.num_attention_heads;
  const double square = convention == MfuConvention::causal ? sequence / 2 : sequence;
  const double attention = 12 * layers * hidden * hidden * (1 + groups + square / hidden);
  const double mlp = (model.activation == Activation::swiglu ? 18 : 12) * layers * ffn * hidden;
  const double embedding = 6 * static_cast<double>(model.vocab_size) * hidden;
  return sequence * (attention + mlp + embedding);
}

double tokens_per_second(double seq_length, double global_batch_size, double step_time_s) {
  return seq_length * global_batch_size / step_time_s;
}

double days_per_trillion_tokens(double tokens_per_s) {
  constexpr double kSecondsPerDay = 86400;
  return 1e12 / tokens_per_s / kSecondsPerDay;
}

double tflops_per_gpu(double flops_per_sample, double global_batch_size, double step_time_s,
                      double gpus) {
  return flops_per_sample * global_batch_size / step_time_s / gpus / 1e12;
}

double model_flops_utilization(double tflops, double peak_tflops) { return tflops / peak_tflops; }

}  // namespace simtrain
