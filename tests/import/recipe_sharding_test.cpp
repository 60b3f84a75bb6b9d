#include <doctest/doctest.h>

#include "tests/core/error_of.h"
#include "tests/import/recipes.h"

namespace simtrain::testing::recipe_sharding_test {
namespace {

const std::string kScript = "gpt15b_megatron.sh";

RecipeRequest h100_job(const std::string& software = "megatron-core-2025") {
  return job("dgx-superpod-h100", software);
}

/// The script of Megatron-LM with more options.
ImportFile script_with(const std::string& options) {
  return with(recipe_file(kScript), "--bf16 --use-distributed-optimizer", "--bf16 " + options);
}

Recipe imported(const ImportFile& file, const RecipeRequest& request = h100_job()) {
  REQUIRE(!file.text.empty());
  return scenario_in(import_recipe(file, request).yaml).recipe;
}

std::string refused(const ImportFile& file, const RecipeRequest& request = h100_job()) {
  REQUIRE(!file.text.empty());
  return error_of([&] { import_recipe(file, request); });
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Megatron's words for shards are the strategies of a scenario") {
  const auto strategy = [](const std::string& options) {
    return imported(script_with("--use-distributed-optimizer " + options)).shards();
  };
  const std::string fsdp = "--use-megatron-fsdp --data-parallel-sharding-strategy ";
  CHECK(strategy("") == Sharding::zero1);
  CHECK(strategy(fsdp + "optim_grads_params") == Sharding::megatron_fsdp);
  CHECK(strategy(fsdp + "optim_grads") == Sharding::zero2);
  CHECK(strategy(fsdp + "optim") == Sharding::zero1);
  CHECK(strategy(fsdp + "no_shard") == Sharding::ddp);
  CHECK(strategy("--use-custom-fsdp --data-parallel-sharding-strategy optim_grads_params") ==
        Sharding::megatron_fsdp);
}

TEST_CASE("Megatron-FSDP without a strategy shards all, which is reported") {
  const ImportedRecipe recipe = import_recipe(script_with("--use-megatron-fsdp"), h100_job());
  CHECK(scenario_in(recipe.yaml).recipe.shards() == Sharding::megatron_fsdp);
  REQUIRE(recipe.notes.size() == 1);
  CHECK(holds(recipe.notes[0], "sharding.strategy megatron_fsdp is assumed"));
}

TEST_CASE("PyTorch's FSDP within Megatron overlaps by itself") {
  const ImportFile file = with(script_with("--use-torch-fsdp2"),
                               " \\\n    --overlap-grad-reduce --overlap-param-gather", "");
  const Recipe recipe = imported(file);
  CHECK(recipe.shards() == Sharding::fsdp2);
  CHECK(recipe.optimizer.distributed);
  CHECK(recipe.overlap.overlap_param_gather);
  CHECK(recipe.overlap.overlap_grad_reduce);
  CHECK(!recipe.sharding.reshard_after_forward);
  const Recipe kept =
      imported(script_with("--use-torch-fsdp2 --torch-fsdp2-no-reshard-after-forward"));
  CHECK(kept.sharding.reshard_after_forward == false);
}

TEST_CASE("instances of the distributed optimizer are replicas") {
  const std::string four = " --num-distributed-optimizer-instances 4";
  const Recipe zero = imported(script_with("--use-distributed-optimizer" + four));
  CHECK(zero.shards() == Sharding::zero1);
  CHECK(zero.sharding.data_parallel_replicate_degree == 4);
  const Recipe fsdp =
      imported(script_with("--use-megatron-fsdp --data-parallel-sharding-strategy "
                           "optim_grads_params --outer-dp-sharding-strategy no_shard" +
                           four));
  CHECK(fsdp.shards() == Sharding::megatron_fsdp);
  CHECK(fsdp.sharding.data_parallel_replicate_degree == 4);
  CHECK(imported(script_with("--use-distributed-optimizer "
                             "--num-distributed-optimizer-instances 1"))
            .sharding.data_parallel_replicate_degree == 1);
}

TEST_CASE("shards that are not simulated are refused at their option") {
  const std::string fsdp = "--use-megatron-fsdp --data-parallel-sharding-strategy ";
  CHECK(holds(refused(script_with(fsdp + "optim_grads_params --outer-dp-sharding-strategy optim")),
              "--outer-dp-sharding-strategy: 'optim' shards over the replicas as well"));
  CHECK(holds(refused(script_with(fsdp + "optim_params")),
              "--data-parallel-sharding-strategy: 'optim_params' is not modelled; no_shard"));
  RecipeRequest request = h100_job();
  request.settings = {"sharding={strategy: fsdp2}"};
  CHECK(imported(script_with("--use-distributed-optimizer"), request).shards() == Sharding::fsdp2);
}

TEST_CASE("words of FSDP are ignored where it is off") {
  const ImportedRecipe recipe = import_recipe(
      script_with("--use-distributed-optimizer --data-parallel-sharding-strategy optim_grads"),
      h100_job());
  CHECK(!holds(recipe.yaml, "\nsharding:"));
  CHECK(holds(recipe.yaml, "of sharded parameters, which are off: --data-parallel-sharding-"));
}

TEST_CASE("Megatron-Bridge and NeMo say shards in their own places") {
  const ImportFile bridge =
      with(recipe_file("llama31_8b_bridge.yaml"), "ddp: {",
           "ddp: {use_megatron_fsdp: true, data_parallel_sharding_strategy: optim_grads_params, "
           "nccl_ub: true, ");
  RecipeRequest request = h100_job("nemo-25.02.01");
  request.nodes = 1;
  const ImportedRecipe of_bridge = import_recipe(bridge, request);
  CHECK(scenario_in(of_bridge.yaml).recipe.shards() == Sharding::megatron_fsdp);
  CHECK(holds(of_bridge.yaml, "registered with NCCL: ddp.nccl_ub"));

  RecipeRequest nemo2 = h100_job("nemo-25.02.01");
  nemo2.overrides = {"+trainer.strategy.fsdp=pytorch"};
  nemo2.settings = {"parallelism.pipeline_model_parallel_size=1",
                    "parallelism.virtual_pipeline_model_parallel_size=1",
                    "overlap.defer_embedding_wgrad_compute=false"};
  CHECK(imported(recipe_file("llama31_70b_nemo2.yaml"), nemo2).shards() == Sharding::fsdp2);
  nemo2.overrides = {"+trainer.strategy.fsdp=deepspeed"};
  CHECK(holds(refused(recipe_file("llama31_70b_nemo2.yaml"), nemo2),
              "trainer.strategy.fsdp: 'deepspeed' is not modelled; megatron or pytorch would do"));
}

TEST_CASE("NeMo 1 shards by PyTorch's first FSDP") {
  RecipeRequest request = job("gcp-a4", "nemo-25.02");
  request.overrides = {"+model.fsdp=true", "+model.fsdp_sharding_strategy=grad",
                       "+model.fsdp_grad_reduce_dtype=32"};
  request.settings = {"parallelism.pipeline_model_parallel_size=1",
                      "parallelism.virtual_pipeline_model_parallel_size=1",
                      "overlap.defer_embedding_wgrad_compute=false"};
  const ImportFile file = recipe_file("llama3-1-405b-224gpus-a4-fp8.yaml");
  const Recipe recipe = imported(file, request);
  CHECK(recipe.shards() == Sharding::fsdp1);
  CHECK(recipe.sharding.reshard_after_forward == false);
  CHECK(recipe.optimizer.grad_reduce_dtype == DataType::fp32);
  request.overrides[1] = "+model.fsdp_sharding_strategy=hybrid";
  CHECK(imported(file, request).sharding.data_parallel_replicate_degree == 28);
  request.overrides[0] = "+model.fsdp=false";
  CHECK(imported(file, request).shards() == Sharding::zero1);
}

}  // namespace simtrain::testing::recipe_sharding_test
