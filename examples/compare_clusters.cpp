// Puts one recipe on several clusters with the same number of GPUs.
#include <cstdio>
#include <string>

#include <simtrain/simtrain.h>

namespace api = simtrain::api;

int main() {
  const auto data = api::DataFolder::installed();
  const auto recipe = api::Scenario::from_data(data, "llama31_8b_h100").row("bf16-16");

  std::printf("%-22s %5s %9s %13s %7s\n", "cluster", "GPUs", "step", "tokens/s", "MFU");
  for (const std::string cluster : {"dgx-superpod-h100", "dgx-superpod-b200", "gcp-a3-ultra"}) {
    const api::Result result = api::simulate(recipe.with("cluster.name", cluster).with("gpus", 16));
    std::printf("%-22s %5d %7.3f s %13.0f %5.1f %%\n", cluster.c_str(), result.gpus,
                result.step_time_s, result.tokens_per_s, 100 * result.mfu);
  }
}
