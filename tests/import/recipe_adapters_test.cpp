// Recipes that train adapters (LoRA), in the words of each framework.
#include <doctest/doctest.h>

#include "tests/core/error_of.h"
#include "tests/import/recipes.h"

namespace simtrain::testing::recipe_adapters_test {
namespace {

using Overrides = std::vector<std::string>;
using Modules = std::vector<LoraModule>;
using M = LoraModule;

const Modules kAll{M::linear_qkv, M::linear_proj, M::linear_fc1, M::linear_fc2};

ImportedRecipe import_with(const char* file, const char* software, const Overrides& overrides,
                           const Overrides& settings = {}) {
  RecipeRequest request = job("dgx-superpod-h100", software);
  request.overrides = overrides;
  request.settings = settings;
  return import_recipe(recipe_file(file), request);
}

std::optional<LoraSpec> lora_of(const ImportedRecipe& imported) {
  return scenario_in(imported.yaml).recipe.lora;
}

std::optional<LoraSpec> nemo2(const Overrides& overrides, const Overrides& settings = {}) {
  return lora_of(import_with("llama31_70b_nemo2.yaml", "nemo-25.02", overrides, settings));
}

const std::string kNemo2Class = "+peft._target_=nemo.collections.llm.peft.lora.LoRA";

}  // namespace

TEST_CASE("adapters of NeMo 2 and Megatron-Bridge are those of their class LoRA") {
  CHECK(!nemo2({}));
  const auto given = nemo2({kNemo2Class, "+peft.dim=16", "+peft.target_modules=[linear_qkv]"});
  REQUIRE(given);
  CHECK(given->rank == 16);
  CHECK(given->target_modules == Modules{M::linear_qkv});
  const auto usual = nemo2({kNemo2Class});
  REQUIRE(usual);
  CHECK(usual->rank == 32);
  CHECK(usual->target_modules == kAll);
  const auto bridge = lora_of(
      import_with("llama31_8b_bridge.yaml", "nemo-25.09",
                  {"+peft._target_=megatron.bridge.peft.canonical_lora.CanonicalLoRA",
                   "+peft.dim=8", "+peft.target_modules=[linear_q,linear_v,linear_fc1_up]"}));
  REQUIRE(bridge);
  CHECK(bridge->rank == 8);
  CHECK(bridge->target_modules == Modules{M::linear_qkv, M::linear_fc1});
}

TEST_CASE("an option sets what adapters are simulated with") {
  const auto set = nemo2({kNemo2Class}, {"lora.rank=4", "lora.target_modules=[linear_proj]"});
  REQUIRE(set);
  CHECK(set->rank == 4);
  CHECK(set->target_modules == Modules{M::linear_proj});
}

TEST_CASE("what is assumed of adapters is noted") {
  const ImportedRecipe imported =
      import_with("llama31_70b_nemo2.yaml", "nemo-25.02", {kNemo2Class});
  CHECK(imported.yaml.find("rank: 32 # ASSUMED: LoRA's default") != std::string::npos);
}

TEST_CASE("packed documents are named as what is not simulated") {
  const ImportedRecipe imported =
      import_with("llama31_70b_nemo2.yaml", "nemo-25.02",
                  {"+data.packed_sequence_specs.packed_sequence_size=8192"});
  CHECK(imported.yaml.find("packed_sequences.mean_document=N") != std::string::npos);
}

TEST_CASE("adapters of Composer are PEFT's") {
  const auto foundry = [](const Overrides& overrides) {
    return lora_of(import_with("mpt_30b_foundry.yaml", "llm-foundry-2024", overrides));
  };
  const auto given = foundry({"+peft_config.peft_type=LORA", "+peft_config.r=64",
                              "+peft_config.target_modules=[Wqkv,out_proj,up_proj,down_proj]"});
  REQUIRE(given);
  CHECK(given->rank == 64);
  CHECK(given->target_modules == kAll);
  const auto usual = foundry({"+model.peft_config.peft_type=LORA"});
  REQUIRE(usual);
  CHECK(usual->rank == 8);
  CHECK(usual->target_modules == Modules{M::linear_qkv});
}

TEST_CASE("other adapters and unknown modules are refused with what would do") {
  CHECK(error_of([] {
          nemo2({"+peft._target_=nemo.collections.llm.peft.dora.DoRA"});
        }).find("peft._target_: 'DoRA' is not simulated; adapters of LoRA would do") !=
        std::string::npos);
  CHECK(error_of([] {
          nemo2({kNemo2Class, "+peft.target_modules=[linear_qkv,in_proj]"});
        })
            .find("'in_proj' is no module that adapters are simulated of; --set "
                  "lora.target_modules=[...] takes some of linear_qkv, linear_proj, linear_fc1 and "
                  "linear_fc2") != std::string::npos);
}

}  // namespace simtrain::testing::recipe_adapters_test
