// Changes keys of a recipe, of its hardware too, and compares with the step as it was.
#include <cstdio>
#include <string>

#include <simtrain/simtrain.h>

namespace api = simtrain::api;

namespace {

void print(const std::string& what, const api::Result& result, const api::Result& before) {
  std::printf("%-28s %7.3f s  %+6.2f %%\n", what.c_str(), result.step_time_s,
              100 * (result.step_time_s / before.step_time_s - 1));
}

}  // namespace

int main() {
  const auto data = api::DataFolder::installed();
  const auto recipe = api::Scenario::from_data(data, "llama31_8b_h100").row("bf16-16");
  const api::Result before = api::simulate(recipe);

  print("as documented", before, before);
  print("CP 1", api::simulate(recipe.with("cp", 1).with("recompute", "full")), before);
  print("no overlap of gradients",
        api::simulate(recipe.with("overlap.overlap_grad_reduce", "false")), before);
  print("NICs of 100 Gb/s", api::simulate(recipe.with("hardware.nic_bandwidth", "100Gb/s")),
        before);
}
