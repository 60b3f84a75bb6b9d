// Predicts the step time of one row of a recipe.
#include <cstdio>

#include <simtrain/simtrain.h>

namespace api = simtrain::api;

int main() {
  const auto data = api::DataFolder::installed();
  const auto recipe = api::Scenario::from_data(data, "llama31_8b_h100");
  const api::Result result = api::simulate(recipe.row("bf16-8"));

  std::printf("%s on %d GPUs (%s)\n", result.model.c_str(), result.gpus, result.layout.c_str());
  std::printf("step time      %.3f s, 90 %% interval %.3f to %.3f s\n", result.step_time_s,
              result.step_time_interval.low, result.step_time_interval.high);
  std::printf("throughput     %.0f tokens/s\n", result.tokens_per_s);
  std::printf("per GPU        %.1f of %.1f TFLOP/s, MFU %.2f %% (%s)\n", result.tflops_per_gpu,
              result.peak_tflops_per_gpu, 100 * result.mfu, result.mfu_convention.c_str());
  std::printf("parameters     %.3f billion\n", static_cast<double>(result.parameters.total) / 1e9);
}
