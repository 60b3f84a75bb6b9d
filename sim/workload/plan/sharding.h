#pragma once

#include <span>
#include <string_view>

#include "sim/collectives/collective.h"
#include "sim/workload/model/recipe.h"

namespace simtrain {

/// How the state of a data-parallel group is dealt among its ranks. Buckets, the step's end and
/// memory fold over its row; nobody asks for a sharding by name. Parameters and gradients are whole
/// on every rank while passes run.
struct ShardingRow {
  std::string_view name;
  std::string_view meaning;  ///< one line
  Collective gradient_reduction{};
  bool gathers_parameters = false;  ///< after the optimizer has updated its shard
  bool shards_optimizer = false;    ///< a rank keeps and updates a DP x CP-th of the state
};

std::span<const ShardingRow> sharding_rows();

/// The sharding that a recipe's keys mean: zero1 with `optimizer.distributed`, otherwise ddp.
const ShardingRow& sharding_of(const Recipe& recipe);

}  // namespace simtrain
