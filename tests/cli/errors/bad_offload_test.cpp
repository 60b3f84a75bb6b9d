// What is offloaded does not exist, or is in the way of the rest of a recipe: one line each.
#include "tests/cli/bad_edit.h"

namespace simtrain::testing::bad_offload_test {
namespace {

/// The base scenario, TP2 PP2 on 32 GPUs, with these keys before `optimizer`.
BadEdit with_offload(const std::string& keys, const std::string& message) {
  return {"optimizer:", "offload: " + keys + "\noptimizer:", message};
}

TEST_CASE("Keys of offload are of their kind and inside their range") {
  check_edits({
      with_offload("true", "24:10: offload: must be a map of keys, found 'true'"),
      with_offload("{cpu_offload: true}",
                   "24:11: offload.cpu_offload: is not known here; did you mean 'cpu_offloading'?"),
      with_offload("{cpu_offloading: 8}",
                   "24:27: offload.cpu_offloading: must be true or false, found '8'"),
      with_offload("{cpu_offloading_num_layers: -1}",
                   "24:38: offload.cpu_offloading_num_layers: '-1' is out of range; 0 to 1000000 "
                   "would do"),
      with_offload("{optimizer_cpu_offload: true, optimizer_offload_fraction: 2}",
                   "24:68: offload.optimizer_offload_fraction: '2' is out of range; 0 to 1 would "
                   "do"),
      with_offload("{fine_grained_activation_offloading: true, offload_modules: [moe_acts]}",
                   "24:71: offload.offload_modules[0]: 'moe_acts' is not known here; did you mean "
                   "'moe_act'?"),
  });
}

TEST_CASE("Offload goes with the rest of the recipe") {
  check_edits({
      with_offload("{cpu_offloading: true, cpu_offloading_num_layers: 4}",
                   "24:27: offload.cpu_offloading: is true with 2 pipeline stages, which "
                   "Transformer Engine does not offload; fine_grained_activation_offloading would "
                   "do"),
      with_offload("{offload_modules: [core_attn]}",
                   "24:28: offload.offload_modules: is given without "
                   "fine_grained_activation_offloading: true"),
      with_offload("{fine_grained_activation_offloading: true}",
                   "24:10: offload.offload_modules: is empty; [core_attn, attn_proj] would do"),
  });
}

}  // namespace
}  // namespace simtrain::testing::bad_offload_test
