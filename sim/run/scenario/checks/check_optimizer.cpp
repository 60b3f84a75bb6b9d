#include "sim/run/scenario/checks/checks.h"
#include "sim/workload/model/sharding.h"

namespace simtrain {
namespace {

/// What Transformer Engine's Adam needs around it.
void check_precision_aware(const Recipe& recipe, const YamlNode& tree) {
  const std::string_view key = "optimizer.use_precision_aware_optimizer";
  const ShardingRow& row = sharding_of(recipe);
  require(row.shards_optimizer, tree, key,
          "is true with sharding.strategy {}, which shards no optimizer state; zero1 would do",
          name_of(row.kind));
  require(recipe.software.distributed_optimizer.value == OptimizerKind::megatron, tree, key,
          "is true with software {}, whose optimizer is Apex's; false would do",
          recipe.software.name);
  require(recipe.precision().keeps_master_weights(), tree, key,
          "is true with precision {}, whose weights are FP32 themselves; false would do",
          name_of(recipe.training.precision));
}

void check_main_params(const OptimizerSpec& optimizer, const YamlNode& tree) {
  const std::string_view key = "optimizer.main_params_dtype";
  const StateType type = optimizer.main_params_dtype;
  if (type == StateType::fp32) return;
  require(type == StateType::fp16, tree, key, "'{}' holds no main weights; fp32 or fp16 would do",
          name_of(type));
  require(optimizer.use_precision_aware_optimizer, tree, key,
          "is {} without use_precision_aware_optimizer: true", name_of(type));
}

/// Megatron's own optimizers have FP32 moments, and so have those of the host.
void check_moment(const Recipe& recipe, StateType type, std::string_view key,
                  const YamlNode& tree) {
  if (type == StateType::fp32) return;
  const Sharding strategy = recipe.shards();
  const bool megatron = strategy == Sharding::ddp || strategy == Sharding::zero1 ||
                        strategy == Sharding::megatron_fsdp;
  require(recipe.optimizer.use_precision_aware_optimizer || !megatron, tree, key,
          "is {} without use_precision_aware_optimizer: true, which sharding.strategy {} needs",
          name_of(type), name_of(strategy));
  require(!recipe.offload.optimizer_cpu_offload, tree, key,
          "is {} with optimizer_cpu_offload, whose state is FP32; fp32 would do", name_of(type));
}

}  // namespace

void check_optimizer(const Recipe& recipe, const YamlNode& tree) {
  const OptimizerSpec& optimizer = recipe.optimizer;
  const DataType sum = optimizer.grad_reduce_dtype;
  require(sum == DataType::bf16 || sum == DataType::fp32, tree, "optimizer.grad_reduce_dtype",
          "'{}' cannot hold gradients; bf16 or fp32 would do", name_of(sum));
  if (optimizer.use_precision_aware_optimizer) check_precision_aware(recipe, tree);
  require(optimizer.use_precision_aware_optimizer || optimizer.store_param_remainders, tree,
          "optimizer.store_param_remainders",
          "is given without use_precision_aware_optimizer: true");
  check_main_params(optimizer, tree);
  check_moment(recipe, optimizer.exp_avg_dtype, "optimizer.exp_avg_dtype", tree);
  check_moment(recipe, optimizer.exp_avg_sq_dtype, "optimizer.exp_avg_sq_dtype", tree);
}

}  // namespace simtrain
