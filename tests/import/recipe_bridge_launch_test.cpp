// Scripts that start a recipe of Megatron-Bridge by its name.
#include <doctest/doctest.h>

#include "tests/core/error_of.h"
#include "tests/import/recipes.h"

namespace simtrain::testing::recipe_bridge_launch_test {
namespace {

const std::string kScript = R"(#!/bin/bash
MODEL_NAME=llama3_8b
GBS=128
uv run python -m torch.distributed.run --nproc_per_node=8 --nnodes=2 scripts/training/run_recipe.py \
    --recipe ${MODEL_NAME}_pretrain_fp8_current_scaling_config \
    train.train_iters=50 train.global_batch_size=$GBS train.micro_batch_size=1 \
    model.seq_length=4096 model.tensor_model_parallel_size=2 \
    model.pipeline_model_parallel_size=1 model.context_parallel_size=2 \
    model.sequence_parallel=True checkpoint.save=/results/${MODEL_NAME}
)";

ImportedRecipe launched(const std::string& text, const std::vector<std::string>& overrides = {}) {
  RecipeRequest request = job("dgx-superpod-h100", "nemo-25.09");
  request.overrides = overrides;
  return import_recipe({"launch.sh", text}, request);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("bridge-launch: the model by the recipe's name, the plan by the keys given to it") {
  CHECK(format_name(kScript) == "bridge-launch");
  const ImportedRecipe imported = launched(kScript);
  const Scenario scenario = scenario_in(imported.yaml);
  CHECK(scenario.recipe.model.name == "llama3.1-8b");
  CHECK(scenario.recipe.parallelism.tensor_model_parallel_size == 2);
  CHECK(scenario.recipe.parallelism.context_parallel_size == 2);
  CHECK(scenario.recipe.training.global_batch_size == 128);
  CHECK(scenario.recipe.training.seq_length == 4096);
  CHECK(imported.yaml.find("nodes: 2") != std::string::npos);
  CHECK(imported.yaml.find("fp8") != std::string::npos);
  CHECK(imported.yaml.find("what the recipe's Python sets itself") != std::string::npos);
}

TEST_CASE("bridge-launch: what only a run gives or not has to be settled") {
  const auto with_more = [](const std::string& key) {
    return replaced(replaced(kScript, "GBS=128\n",
                             "GBS=128\nif [ $1 = more ]; then MORE=\"" + key + " a.b=1\"; fi\n"),
                    "train.train_iters=50", "train.train_iters=50 $MORE");
  };
  const std::string key = "model.recompute_granularity=selective";
  CHECK(error_of([&] {
          launched(with_more(key));
        }).find("model.recompute_granularity: is in a branch that is decided at run time") !=
        std::string::npos);
  CHECK_NOTHROW(launched(with_more(key), {"+model.recompute_granularity=selective"}));
  CHECK_NOTHROW(launched(with_more("checkpoint.save=/x")));
}

TEST_CASE("bridge-launch: a command that is put together in a variable") {
  const std::string pieces = R"(#!/bin/bash
OVERRIDES="\
    train.global_batch_size=64 \
    train.micro_batch_size=1 model.seq_length=4096 \
    model.tensor_model_parallel_size=1 model.pipeline_model_parallel_size=1"
CMD="python scripts/training/run_recipe.py"
CMD="$CMD --recipe qwen3_8b_sft_config"
CMD="$CMD $OVERRIDES"
srun bash -c "$CMD"
)";
  const Scenario scenario = scenario_in(launched(pieces).yaml);
  CHECK(scenario.recipe.model.name == "qwen3-8b");
  CHECK(scenario.recipe.training.global_batch_size == 64);
}

TEST_CASE("bridge-launch: what is missing is one line, and an override gives it") {
  const std::string lacking = replaced(kScript, "model.pipeline_model_parallel_size=1", "");
  CHECK(
      error_of([&] { launched(lacking); })
          .find(
              "launch.sh:5:14: --recipe: 'llama3_8b_pretrain_fp8_current_scaling_config' is a "
              "program "
              "in Python, whose own value of model.pipeline_model_parallel_size is not known here; "
              "--override model.pipeline_model_parallel_size=VALUE sets it") == 0);
  const ImportedRecipe given = launched(lacking, {"model.pipeline_model_parallel_size=2"});
  CHECK(scenario_in(given.yaml).recipe.parallelism.pipeline_model_parallel_size == 2);
  const std::string open = replaced(kScript, "GBS=128\n", "");
  CHECK(error_of([&] {
          launched(open);
        }).find("whose own value of train.global_batch_size is not") != std::string::npos);
  CHECK(error_of([&] {
          launched(replaced(kScript, "=llama3_8b\n", "=dream_9b\n"));
        }).find("'dream_9b' is no model that is known here by name; --model NAME") !=
        std::string::npos);
}

TEST_CASE("bridge-launch: keys of one word") {
  const std::string plain = replaced(kScript, "_fp8_current_scaling", "");
  CHECK(scenario_in(launched(plain).yaml).recipe.training.precision == Precision::bf16);
  const std::string narrow =
      replaced(plain, "checkpoint.save",
               "mixed_precision=bf16_with_fp8_current_scaling_mixed checkpoint.save");
  CHECK(scenario_in(launched(narrow).yaml).recipe.training.precision == Precision::fp8_cs);
  const std::string adapters = replaced(plain, "checkpoint.save", "peft=lora checkpoint.save");
  CHECK(scenario_in(launched(adapters).yaml).recipe.lora);
}

TEST_CASE("bridge-launch: a recipe of adapters by its name") {
  const std::string script = replaced(kScript, "_pretrain_fp8_current_scaling", "_peft");
  const auto usual = scenario_in(launched(script).yaml).recipe.lora;
  REQUIRE(usual);
  CHECK(usual->rank == 32);
  CHECK(usual->targets(LoraModule::linear_fc2));
  const std::string given = replaced(script, "model.seq_length", "peft.dim=8 model.seq_length");
  CHECK(scenario_in(launched(given).yaml).recipe.lora->rank == 8);
  CHECK(error_of([&] {
          launched(replaced(script, "--recipe", "--peft_scheme dora --recipe"));
        }).find("'dora' is not simulated") != std::string::npos);
}

}  // namespace
}  // namespace simtrain::testing::recipe_bridge_launch_test
