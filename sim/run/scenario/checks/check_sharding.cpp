#include <fmt/format.h>

#include "sim/run/scenario/checks/checks.h"
#include "sim/workload/model/sharding.h"

namespace simtrain {
namespace {

/// What some strategies need of the rest of a recipe.
void check_strategy(const Recipe& recipe, const YamlNode& tree) {
  const ShardingRow& row = sharding_of(recipe);
  const std::string_view name = name_of(row.kind);
  require(row.shards_optimizer == recipe.optimizer.distributed, tree, "optimizer.distributed",
          "is {} with sharding.strategy {}; {} would do", recipe.optimizer.distributed, name,
          row.shards_optimizer);
  const bool whole = !row.shards_gradients;
  require(whole || recipe.pp() == 1 || row.units, tree, "sharding.strategy",
          "{} reduces gradients of each micro-batch, which {} pipeline stages do not "
          "wait for; zero1 would do",
          name, recipe.pp());
  require(row.kind != Sharding::zero3 || recipe.pp() == 1, tree, "sharding.strategy",
          "zero3 has no pipeline stages in DeepSpeed; fsdp2 would do");
  require(!row.units || !recipe.holds_table_twice(), tree, "sharding.strategy",
          "{} shards a table of embeddings that the first and the last stage both hold; "
          "zero1 would do",
          name);
  require(!row.units || !recipe.overlap.defer_embedding_wgrad_compute, tree,
          "overlap.defer_embedding_wgrad_compute",
          "needs whole gradients; sharding.strategy {} reduces them after each backward", name);
}

}  // namespace

void check_sharding(const Scenario& scenario, const YamlNode& tree) {
  const Recipe& recipe = scenario.recipe;
  const ShardingRow& row = sharding_of(recipe);
  check_strategy(recipe, tree);
  require(
      row.units || !recipe.sharding.reshard_after_forward, tree, "sharding.reshard_after_forward",
      "is of sharded parameters, which strategy {} keeps whole; fsdp2 would do", name_of(row.kind));
  const int replicas = recipe.sharding.data_parallel_replicate_degree;
  if (replicas == 1) return;
  const std::string key = "sharding.data_parallel_replicate_degree";
  require(row.shards_optimizer, tree, key,
          "is {} with strategy {}, which shards nothing; 1 would do", replicas, name_of(row.kind));
  require(!recipe.model.has_experts(), tree, key,
          "is {} for a model with experts, whose state is sharded over all of their "
          "data-parallel ranks; 1 would do",
          replicas);
  const std::int64_t ranks = scenario.gpus() / recipe.tp() / recipe.pp();
  divides(replicas, ranks, tree, key, "the ranks of DP x CP");
  require(replicas < ranks, tree, key,
          "is all {} ranks of DP x CP, so that none shards anything; strategy ddp would "
          "do",
          ranks);
}

}  // namespace simtrain
