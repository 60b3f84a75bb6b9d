// What of offload is refused, each in one line at its key.
#include <string>

#include <doctest/doctest.h>

#include "sim/core/input/input_error.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::offload_scenario_test {

namespace {

using Settings = std::vector<std::string>;

std::string refusal(const char* file, const char* row, const Settings& settings) {
  try {
    scenario(file, row, settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Of Llama 3.1 8B on 8 H100, 32 layers without pipeline stages.
std::string refused(const Settings& settings) {
  return refusal("llama31_8b_h100", "bf16-8", settings);
}

bool says(const std::string& refusal, const std::string& words) {
  const bool found = refusal.find(words) != std::string::npos;
  if (!found) MESSAGE(refusal, " lacks ", words);
  return found && refusal.find('\n') == std::string::npos;
}

Settings layers(const char* count) {
  return {"offload.cpu_offloading=true", std::string("offload.cpu_offloading_num_layers=") + count};
}

Settings modules(const char* list) {
  return {"offload.fine_grained_activation_offloading=true",
          std::string("offload.offload_modules=") + list};
}

Settings operator+(Settings all, const Settings& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

TEST_CASE("Offload is read") {
  CHECK(refused(layers("31")) == "");
  CHECK(refused(modules("[attn_norm, qkv_linear, core_attn, attn_proj, mlp_norm]")) == "");
  CHECK(refused({"offload.optimizer_cpu_offload=true", "offload.optimizer_offload_fraction=0.5",
                 "offload.overlap_cpu_optimizer_d2h_h2d=true"}) == "");
  CHECK(refusal("mixtral_8x7b_h200", "bf16-256", modules("[expert_fc1, moe_act]")) == "");
}

TEST_CASE("Layers that are offloaded") {
  CHECK(says(refused(layers("32")), "is 32; from 1 to 31 of the model's 32 layers would do"));
  CHECK(says(refused(layers("0")), "is 0; from 1 to 31"));
  CHECK(says(refused({"offload.cpu_offloading=true"}), "is 0; from 1 to 31"));
  CHECK(says(refused({"offload.cpu_offloading_num_layers=4"}),
             "is given without cpu_offloading: true"));
  CHECK(says(refused(layers("4") + Settings{"recompute=full"}), "is true with recompute full"));
  CHECK(says(refused(layers("4") + Settings{"recompute=selective"}),
             "is true with recompute selective; none would do"));
  CHECK(says(refused(layers("4") + Settings{"cuda_graphs=true"}),
             "is of activations, with CUDA graphs; cuda_graphs: false would do"));
  CHECK(says(refused(layers("4") + Settings{"pp=2"}), "is true with 2 pipeline stages"));
  CHECK(says(refused(layers("4") + modules("[core_attn]")), "one of them would do"));
  CHECK(says(refused({"offload.cpu_offloading=8"}), "offload.cpu_offloading"));
}

TEST_CASE("Modules that are offloaded") {
  CHECK(says(refused(modules("[]")), "is empty; [core_attn, attn_proj] would do"));
  CHECK(says(refused({"offload.offload_modules=[core_attn]"}),
             "is given without fine_grained_activation_offloading: true"));
  CHECK(says(refused(modules("[core_atn]")), "core_attn"));
  CHECK(says(refused(modules("[attn_proj]")), "has attn_proj without core_attn"));
  CHECK(says(refused(modules("[core_attn, core_attn]")), "has core_attn more than once"));
  CHECK(
      says(refused(modules("[moe_act]")), "has moe_act, whose input no layer of the model keeps"));
  CHECK(says(refused(modules("[core_attn]") + Settings{"recompute=full"}),
             "is true with recompute full, which keeps no inputs of modules"));
  CHECK(says(refused(modules("[qkv_linear]") +
                     Settings{"recompute=selective", "recompute_modules=[layernorm]"}),
             "has qkv_linear, whose input recompute_modules makes again"));
  CHECK(says(refused(modules("[core_attn]") + Settings{"cuda_graphs=true"}), "with CUDA graphs"));
}

TEST_CASE("Optimizer and parameters on the host") {
  const Settings optimizer{"offload.optimizer_cpu_offload=true"};
  const Settings param{"offload.offload_param=true"};
  CHECK(says(refused({"offload.optimizer_offload_fraction=0.5"}),
             "is given without optimizer_cpu_offload: true"));
  CHECK(says(refused({"offload.overlap_cpu_optimizer_d2h_h2d=true"}),
             "is given without optimizer_cpu_offload: true"));
  CHECK(says(refused(param), "is given without optimizer_cpu_offload: true"));
  CHECK(says(refused(optimizer + Settings{"offload.optimizer_offload_fraction=0"}),
             "is 0; up to 1 would do"));
  CHECK(says(refused(optimizer + Settings{"offload.optimizer_offload_fraction=1.5"}), "1.5"));
  CHECK(says(refused(optimizer + param),
             "is true with sharding.strategy zero1, which keeps whole parameters on GPUs"));
  CHECK(says(refused(optimizer + param + Settings{"sharding.strategy=megatron_fsdp"}),
             "which has no such setting"));
  CHECK(says(refused(optimizer + param +
                     Settings{"sharding.strategy=zero3", "offload.optimizer_offload_fraction=0.5"}),
             "is true with optimizer_offload_fraction 0.5; 1 would do"));
  CHECK(says(refusal("llama31_mi300x", "8b-8", optimizer), "needs what hosts of"));
  CHECK(says(refused({"offload.optimizer_cpu_ofload=true"}), "optimizer_cpu_offload"));
}

}  // namespace simtrain::testing::offload_scenario_test
