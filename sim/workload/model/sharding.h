#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sim/collectives/collective.h"
#include "sim/workload/model/recipe.h"
#include "sim/workload/parallel/rank_grid.h"

namespace simtrain {

/// How a library gathers and reduces units (a layer, the embedding, the head) whose parameters are
/// sharded. All gathers and reductions of a rank run one after the other, in the order in which the
/// host launches them: libraries give both one communicator.
struct UnitRules {
  /// Units that are gathered ahead: the gather of the n-th unit from here is launched when this one
  /// starts, so that its buffer is free.
  int forward_ahead = 1;
  int backward_ahead = 1;
  /// Further ones as long as fewer parameters than these are ahead.
  std::int64_t parameters_ahead = 0;
  /// A gather fills one buffer, from which the parameters are copied out on the compute stream.
  bool copies_parameters = false;
  /// Times that all gradients of a unit are read and written before they are reduced, in the
  /// format of parameters and in that of the reduction; `converts` between them by a pass of its
  /// own where they differ, `packs` by one that runs in any case.
  int gradient_moves = 0;
  int reduced_moves = 0;
  bool converts = false;
  bool packs = false;
  /// Reductions that may be on their way when the next gradients are packed; 0: any number.
  int reductions_ahead = 0;
  /// Weight gradients are added to the buffer that is reduced by the products that make them;
  /// otherwise they are tensors of their own.
  bool adds_in_place = false;
  /// Weights are also kept in the format in which they are gathered, beside the FP32 ones.
  bool keeps_weights = false;
};

/// How the state of a data-parallel group is dealt among its ranks. Buckets, units, the step's end
/// and memory fold over its row; nobody else asks for a sharding by name.
struct ShardingRow {
  Sharding kind{};
  std::string_view meaning;  ///< one line
  Collective gradient_reduction{};
  bool gathers_parameters = false;   ///< after the optimizer has updated its shard
  bool shards_optimizer = false;     ///< a rank keeps and updates its part of the state
  bool shards_gradients = false;     ///< those of each micro-batch are reduced
  std::optional<UnitRules> units{};  ///< parameters are sharded, and gathered unit by unit
  bool whole_tensors = false;        ///< a rank's part is whole tensors, which it broadcasts to all
};

/// By kind.
std::span<const ShardingRow> sharding_rows();
const ShardingRow& row_of(Sharding sharding);

/// The sharding that a recipe's keys mean.
const ShardingRow& sharding_of(const Recipe& recipe);

/// Whether weight gradients of micro-batches are added up on each rank. Tensors of their own that
/// are reduced after each backward are not: only a rank's shard of their sum is.
bool adds_up_gradients(const Recipe& recipe);

/// How long the parameters of a unit stay after they were gathered for a forward: to its end, to
/// the end of the backward, or through all micro-batches of a step.
enum class Gathered : std::uint8_t { forward, backward, step };
Gathered gathered_until(const Recipe& recipe);

/// Ranks that wait for each other in each pass: those of RankGrid::pass_ranks, and all that gather
/// the same parameters in it.
int ranks_met_in_passes(const Recipe& recipe, const RankGrid& grid);

}  // namespace simtrain
