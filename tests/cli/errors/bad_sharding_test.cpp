// Strategies of sharding that do not go with the rest of a recipe: one line each.
#include "tests/cli/bad_edit.h"

namespace simtrain::testing::bad_sharding_test {
namespace {

/// The base scenario, TP2 PP2 on 32 GPUs, with these keys of `sharding`.
BadEdit sharding_keys(const std::string& keys, const std::string& message) {
  return {"optimizer:", "sharding: " + keys + "\noptimizer:", message};
}

TEST_CASE("Keys of sharding are of their kind and inside their range") {
  check_edits({
      sharding_keys("fsdp2", "24:11: sharding: must be a map of keys, found 'fsdp2'"),
      sharding_keys("{strategy: [fsdp2]}",
                    "24:22: sharding.strategy: must be a text, found a list"),
      sharding_keys("{strategy: fsdp3}",
                    "24:22: sharding.strategy: 'fsdp3' is not known here; did you mean 'fsdp1'?"),
      sharding_keys(
          "{strategy: FULL_SHARD}",
          "24:22: sharding.strategy: 'FULL_SHARD' is not known here; known are ddp, "
          "zero1, zero1_tensors, zero1_sums, zero2, zero3, fsdp1, fsdp2, megatron_fsdp, xla_fsdp"),
      sharding_keys("{strategie: fsdp2}",
                    "24:12: sharding.strategie: is not known here; did you mean 'strategy'?"),
      sharding_keys("{data_parallel_replicate_degree: 0}",
                    "24:44: sharding.data_parallel_replicate_degree: '0' is out of range; 1 to "
                    "1000000 would do"),
      sharding_keys("{data_parallel_replicate_degree: 1000001}",
                    "24:44: sharding.data_parallel_replicate_degree: '1000001' is out of range; 1 "
                    "to 1000000 would do"),
      sharding_keys("{data_parallel_replicate_degree: 2.0}",
                    "24:44: sharding.data_parallel_replicate_degree: must be a whole number, found "
                    "'2.0'"),
      sharding_keys("{reshard_after_forward: default}",
                    "24:35: sharding.reshard_after_forward: must be true or false, found "
                    "'default'"),
  });
}

/// The base scenario with more keys of `optimizer`.
BadEdit optimizer_keys(const std::string& keys, const std::string& message) {
  return {"optimizer: {distributed: true", "optimizer: {" + keys + ", distributed: true", message};
}

TEST_CASE("Types of the optimizer's state are those that somebody keeps") {
  const std::string precise = "use_precision_aware_optimizer: true, ";
  check_edits({
      optimizer_keys("exp_avg_dtype: bf16",
                     "24:28: optimizer.exp_avg_dtype: is bf16 without "
                     "use_precision_aware_optimizer: true, which sharding.strategy zero1 needs"),
      optimizer_keys(precise + "exp_avg_dtype: bf16",
                     "24:44: optimizer.use_precision_aware_optimizer: is true with software "
                     "nemo-25.02, whose optimizer is Apex's; false would do"),
      optimizer_keys("main_params_dtype: bf16",
                     "24:32: optimizer.main_params_dtype: 'bf16' holds no main weights; fp32 or "
                     "fp16 would do"),
      optimizer_keys("main_params_dtype: fp16",
                     "24:32: optimizer.main_params_dtype: is fp16 without "
                     "use_precision_aware_optimizer: true"),
      optimizer_keys("store_param_remainders: false",
                     "24:37: optimizer.store_param_remainders: is given without "
                     "use_precision_aware_optimizer: true"),
      optimizer_keys(precise + "exp_avg_sq_dtype: int8",
                     "24:68: optimizer.exp_avg_sq_dtype: 'int8' is not known here; known are "
                     "fp32, bf16, fp16, fp8"),
  });
}

TEST_CASE("A strategy and the distributed optimizer say the same") {
  check_edits({
      sharding_keys("{strategy: ddp}",
                    "25:26: optimizer.distributed: is true with sharding.strategy ddp; false would "
                    "do"),
      {"optimizer: {distributed: true",
       "sharding: {strategy: zero1}\noptimizer: {distributed: false",
       "25:26: optimizer.distributed: is false with sharding.strategy zero1; true would do"},
      {"optimizer: {distributed: true",
       "sharding: {strategy: fsdp2}\noptimizer: {distributed: false",
       "25:26: optimizer.distributed: is false with sharding.strategy fsdp2; true would do"},
  });
}

TEST_CASE("Some strategies go neither with pipeline stages nor with what needs whole gradients") {
  check_edits({
      sharding_keys("{strategy: zero2}",
                    "24:22: sharding.strategy: zero2 reduces gradients of each micro-batch, which "
                    "2 pipeline stages do not wait for; zero1 would do"),
      sharding_keys("{strategy: zero3}",
                    "24:22: sharding.strategy: zero3 has no pipeline stages in DeepSpeed; fsdp2 "
                    "would do"),
      sharding_keys("{strategy: fsdp2}\n"
                    "model_overrides: {share_embeddings_and_output_weights: true}",
                    "24:22: sharding.strategy: fsdp2 shards a table of embeddings that the first "
                    "and the last stage both hold; zero1 would do"),
      {"  overlap_param_gather: true\n",
       "  overlap_param_gather: true\n  defer_embedding_wgrad_compute: true\n"
       "sharding: {strategy: megatron_fsdp}\n",
       "24:34: overlap.defer_embedding_wgrad_compute: needs whole gradients; sharding.strategy "
       "megatron_fsdp reduces them after each backward"},
  });
}

TEST_CASE("Only sharded parameters are dropped after a forward") {
  check_edits({
      sharding_keys("{reshard_after_forward: true}",
                    "24:35: sharding.reshard_after_forward: is of sharded parameters, which "
                    "strategy zero1 keeps whole; fsdp2 would do"),
      sharding_keys("{strategy: zero1, reshard_after_forward: false}",
                    "24:52: sharding.reshard_after_forward: is of sharded parameters, which "
                    "strategy zero1 keeps whole; fsdp2 would do"),
  });
}

TEST_CASE("Replicas divide the ranks of DP x CP and leave each other something to shard") {
  const std::string key = "24:61: sharding.data_parallel_replicate_degree: ";
  check_edits({
      {"optimizer: {distributed: true",
       "sharding: {data_parallel_replicate_degree: 2}\noptimizer: {distributed: false",
       "24:44: sharding.data_parallel_replicate_degree: is 2 with strategy ddp, which shards "
       "nothing; 1 would do"},
      sharding_keys("{strategy: fsdp2, data_parallel_replicate_degree: 3}",
                    key + "3 does not divide the ranks of DP x CP (8)"),
      sharding_keys("{strategy: fsdp2, data_parallel_replicate_degree: 16}",
                    key + "16 does not divide the ranks of DP x CP (8)"),
      sharding_keys("{strategy: fsdp2, data_parallel_replicate_degree: 8}",
                    key + "is all 8 ranks of DP x CP, so that none shards anything; strategy ddp "
                          "would do"),
      {"model: llama3.1-8b",
       "model: mixtral-8x7b\n"
       "sharding: {strategy: fsdp2, data_parallel_replicate_degree: 2}",
       "8:61: sharding.data_parallel_replicate_degree: is 2 for a model with experts, whose state "
       "is sharded over all of their data-parallel ranks; 1 would do"},
  });
}

}  // namespace
}  // namespace simtrain::testing::bad_sharding_test
