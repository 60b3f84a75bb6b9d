#include "sim/workload/model/sharding.h"

#include <algorithm>
#include <array>

#include "sim/core/rows_in_order.h"

namespace simtrain {
namespace {

/// PyTorch torch/distributed/fsdp/_runtime_utils.py: the rate limiter lets two gathers be on their
/// way; autograd joins the gradients of views, which are divided and converted before they are
/// reduced.
constexpr UnitRules kFsdp1{.gradient_moves = 1, .reduced_moves = 1, .converts = true};
/// PyTorch torch/distributed/fsdp/_fully_shard: forward gathers wait for the copy-out of the unit
/// before last, backward ones for that of the last; gradients are packed and converted by
/// `chunk_cat` after the reduction before.
constexpr UnitRules kFsdp2{
    .forward_ahead = 2, .copies_parameters = true, .packs = true, .reductions_ahead = 1};
/// Megatron-LM megatron/core/distributed/fsdp: parameters are views of two or more buffers; gathers
/// are queued to half of 1e9 parameters, gradients are added to the buffer that is reduced.
constexpr UnitRules kMegatron{
    .parameters_ahead = 500'000'000, .adds_in_place = true, .keeps_weights = true};
/// DeepSpeed runtime/zero/stage3.py: prefetches 5e7 parameters, always one at least; joins
/// partitions into parameters; gradients are copied into a bucket.
constexpr UnitRules kZero3{.copies_parameters = true, .gradient_moves = 1, .keeps_weights = true};
/// XLA: the latency-hiding scheduler runs collectives of the next layer's body beside this one's;
/// GEMMs write what is reduced.
constexpr UnitRules kXla{};

constexpr std::array kShardingRows{
    ShardingRow{Sharding::ddp,
                "every rank keeps all of the optimizer's state; gradients are all-reduced",
                Collective::all_reduce, false, false, false},
    ShardingRow{Sharding::zero1, "each rank updates its part (Megatron's distributed optimizer)",
                Collective::reduce_scatter, true, true, false},
    ShardingRow{Sharding::zero1_tensors,
                "each rank updates whole tensors and broadcasts them (InternEvo)",
                Collective::reduce_scatter,
                true,
                true,
                false,
                {},
                true},
    ShardingRow{
        Sharding::zero1_sums,
        "each rank updates its part of gradients that all have (DeepSpeed's BF16_Optimizer)",
        Collective::all_reduce, true, true, false},
    ShardingRow{Sharding::zero2, "and keeps its part of the gradients (ZeRO stage 2)",
                Collective::reduce_scatter, true, true, true},
    ShardingRow{Sharding::zero3,
                "and of the parameters, gathered layer by layer (DeepSpeed ZeRO stage 3)",
                Collective::reduce_scatter, false, true, true, kZero3},
    ShardingRow{Sharding::fsdp1, "the same in PyTorch's FullyShardedDataParallel",
                Collective::reduce_scatter, false, true, true, kFsdp1},
    ShardingRow{Sharding::fsdp2, "the same in PyTorch's fully_shard (torchtitan)",
                Collective::reduce_scatter, false, true, true, kFsdp2},
    ShardingRow{Sharding::megatron_fsdp, "the same in Megatron-FSDP", Collective::reduce_scatter,
                false, true, true, kMegatron},
    ShardingRow{Sharding::xla_fsdp, "the same as XLA partitions it (MaxText, PaxML)",
                Collective::reduce_scatter, false, true, true, kXla}};

static_assert(rows_in_order(kShardingRows, &ShardingRow::kind), "row_of finds a row by its kind");

}  // namespace

std::span<const ShardingRow> sharding_rows() { return kShardingRows; }

const ShardingRow& row_of(Sharding sharding) {
  return kShardingRows[static_cast<std::size_t>(sharding)];
}

const ShardingRow& sharding_of(const Recipe& recipe) { return row_of(recipe.shards()); }

bool adds_up_gradients(const Recipe& recipe) {
  const auto& units = sharding_of(recipe).units;
  return !units || units->adds_in_place || gathered_until(recipe) == Gathered::step;
}

Gathered gathered_until(const Recipe& recipe) {
  const bool pipeline = recipe.pp() > 1;
  if (recipe.sharding.reshard_after_forward.value_or(!pipeline)) return Gathered::forward;
  return pipeline ? Gathered::step : Gathered::backward;
}

int ranks_met_in_passes(const Recipe& recipe, const RankGrid& grid) {
  if (!sharding_of(recipe).units || gathered_until(recipe) == Gathered::step)
    return grid.pass_ranks();
  const int sharing = grid.tp() * grid.ranks_of(grid.sharded_over(GroupKind::data));
  return std::max(grid.pass_ranks(), sharing);
}

}  // namespace simtrain
