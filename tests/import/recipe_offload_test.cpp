// What recipes keep on hosts, in the words of each framework.
#include <doctest/doctest.h>

#include "sim/import/plan/recipe_export.h"
#include "tests/core/error_of.h"
#include "tests/import/recipes.h"

namespace simtrain::testing::recipe_offload_test {
namespace {

using Overrides = std::vector<std::string>;

RecipeRequest with_overrides(RecipeRequest request, const Overrides& overrides) {
  request.overrides = overrides;
  return request;
}

Scenario imported_with(const char* file, const RecipeRequest& request, const Overrides& overrides) {
  return scenario_in(import_recipe(recipe_file(file), with_overrides(request, overrides)).yaml);
}

OffloadSpec megatron(const Overrides& overrides) {
  return imported_with("gpt15b_model_config.yaml", job("dgx-superpod-h100", "megatron-core-2025"),
                       overrides)
      .recipe.offload;
}

RecipeRequest deepspeed_job() {
  RecipeRequest request = job("dgx-superpod-h100", "deepspeed-2021");
  request.nodes = 4;
  request.model = "gpt3-5b";
  request.settings = {"training.seq_length=2048"};
  return request;
}

OffloadSpec deepspeed(const Overrides& overrides) {
  return imported_with("zero3_deepspeed.json", deepspeed_job(), overrides).recipe.offload;
}

}  // namespace

TEST_CASE("Megatron's arguments offload what they say") {
  CHECK_FALSE(megatron({}).anything());
  const OffloadSpec layers = megatron({"+cpu_offloading_num_layers=8"});
  CHECK(layers.cpu_offloading);
  CHECK(layers.cpu_offloading_num_layers == 8);
  CHECK_FALSE(megatron({"+cpu_offloading_num_layers=0"}).anything());
  CHECK_FALSE(megatron({"+cpu_offloading=false", "+cpu_offloading_num_layers=8"}).cpu_offloading);
  const OffloadSpec modules = megatron(
      {"+fine_grained_activation_offloading=true", "+offload_modules=core_attn attn_proj"});
  CHECK(modules.fine_grained_activation_offloading);
  CHECK(modules.offload_modules ==
        std::vector<OffloadModule>{OffloadModule::core_attn, OffloadModule::attn_proj});
  const OffloadSpec optimizer =
      megatron({"+optimizer_cpu_offload=true", "+optimizer_offload_fraction=0.5",
                "+overlap_cpu_optimizer_d2h_h2d=true"});
  CHECK(optimizer.optimizer_cpu_offload);
  CHECK(optimizer.optimizer_offload_fraction == 0.5);
  CHECK(optimizer.overlap_cpu_optimizer_d2h_h2d);
  CHECK_FALSE(megatron({"+optimizer_offload_fraction=0.5"}).anything());
}

TEST_CASE("DeepSpeed's configuration offloads what it says") {
  CHECK_FALSE(deepspeed({"+zero_optimization.offload_optimizer={device: none}"}).anything());
  const OffloadSpec optimizer = deepspeed(
      {"+zero_optimization.offload_optimizer={device: cpu, pin_memory: true, ratio: 0.3}"});
  CHECK(optimizer.optimizer_cpu_offload);
  CHECK(optimizer.optimizer_offload_fraction == 0.3);
  CHECK_FALSE(optimizer.offload_param);
  const OffloadSpec all = deepspeed({"+zero_optimization.offload_optimizer={device: cpu}",
                                     "+zero_optimization.offload_param={device: cpu}"});
  CHECK(all.offload_param);
  CHECK(deepspeed({"+zero_optimization.cpu_offload=true"}).optimizer_cpu_offload);
}

TEST_CASE("PyTorch's policy offloads parameters, gradients and optimizer") {
  RecipeRequest titan_job = job("dgx-superpod-h100", "torchtitan-2025");
  titan_job.nodes = 32;
  const OffloadSpec titan =
      imported_with("llama31_70b_titan.toml", titan_job, {"+training.enable_cpu_offload=true"})
          .recipe.offload;
  CHECK(titan.optimizer_cpu_offload);
  CHECK(titan.offload_param);
  RecipeRequest foundry = job("dgx-superpod-h100", "llm-foundry-2024");
  foundry.nodes = 1;
  CHECK(imported_with("mpt_30b_foundry.yaml", foundry, {"+fsdp_config.cpu_offload=true"})
            .recipe.offload.offload_param);
}

TEST_CASE("Exported offload is read as it was") {
  for (const Overrides& overrides :
       {Overrides{"+cpu_offloading_num_layers=8"},
        Overrides{"+fine_grained_activation_offloading=true",
                  "+offload_modules=core_attn attn_proj"},
        Overrides{"+optimizer_cpu_offload=true", "+optimizer_offload_fraction=0.5"}}) {
    const Scenario scenario = imported_with(
        "gpt15b_model_config.yaml", job("dgx-superpod-h100", "megatron-core-2025"), overrides);
    for (const ExportTarget* target : export_targets()) {
      if (target->name != "megatron" && target->name != "bridge") continue;
      const ExportedRecipe recipe = export_recipe(*target, scenario, {});
      CHECK(reimported(*target, recipe, data_folder()).recipe.offload == scenario.recipe.offload);
      CHECK(recipe.text.find("cpu-optimizer") == std::string::npos);  // Megatron-DeepSpeed's word
    }
  }
}

}  // namespace simtrain::testing::recipe_offload_test
