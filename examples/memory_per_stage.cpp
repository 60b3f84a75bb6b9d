// Prints what fills the memory of each pipeline stage.
#include <cstdio>

#include <simtrain/simtrain.h>

namespace api = simtrain::api;

int main() {
  const auto data = api::DataFolder::installed();
  const auto recipe = api::Scenario::from_data(data, "llama31_70b_h100").row("bf16-64");
  const api::Result result = api::simulate(recipe);

  constexpr double kGb = 1e9;
  std::printf("stage  weights  gradients  optimizer  activations  all else   total (GB)\n");
  for (std::size_t stage = 0; stage < result.memory.size(); ++stage) {
    const api::StageMemory& memory = result.memory[stage];
    const double shown = memory.weights + memory.gradients + memory.optimizer + memory.activations;
    std::printf("%5zu  %7.1f  %9.1f  %9.1f  %11.1f  %8.1f  %6.1f\n", stage, memory.weights / kGb,
                memory.gradients / kGb, memory.optimizer / kGb, memory.activations / kGb,
                (memory.total - shown) / kGb, memory.total / kGb);
  }
  const double spare = result.memory_capacity_bytes - result.fullest_stage().total;
  std::printf("%s: %.1f GB to spare of %.1f GB\n", result.fits ? "fits" : "does not fit",
              spare / kGb, result.memory_capacity_bytes / kGb);
}
