#include "sim/workload/plan/sharding.h"

#include <array>

namespace simtrain {
namespace {

constexpr std::array kShardingRows{
    ShardingRow{"ddp", "every rank keeps all of the optimizer's state; gradients are all-reduced",
                Collective::all_reduce, false, false},
    ShardingRow{"zero1", "each rank updates its part (Megatron's distributed optimizer)",
                Collective::reduce_scatter, true, true}};

}  // namespace

std::span<const ShardingRow> sharding_rows() { return kShardingRows; }

const ShardingRow& sharding_of(const Recipe& recipe) {
  return kShardingRows[recipe.optimizer.distributed ? 1 : 0];
}

}  // namespace simtrain
