#include "sim/workload/plan/memory/unit_memory.h"

#include <algorithm>

#include "sim/workload/model/sharding.h"

namespace simtrain {
namespace {

/// The units of a stage, in parameters.
struct StageUnits {
  double layers = 0;
  double largest_layer = 0;
  double ends = 0;             ///< embedding and head
  double trained = 0;          ///< of all of them
  double largest_trained = 0;  ///< of one
};

StageUnits units_of(const ModelTotals& totals, const std::vector<ChunkLayout>& chunks) {
  StageUnits units;
  const auto add_trained = [&](const PartTotals& part) {
    const auto trained = static_cast<double>(trained_parameters(part));
    units.trained += trained;
    units.largest_trained = std::max(units.largest_trained, trained);
  };
  for (const ChunkLayout& chunk : chunks) {
    for (int layer = 0; layer < chunk.layers; ++layer) {
      const auto parameters =
          static_cast<double>(totals.layer(chunk.first_layer + layer).parameters);
      units.layers += parameters;
      units.largest_layer = std::max(units.largest_layer, parameters);
      add_trained(totals.layer(chunk.first_layer + layer));
    }
    const std::int64_t embedding = chunk.embedding ? totals.embedding().parameters : 0;
    const std::int64_t head = chunk.head ? totals.head().parameters : 0;
    units.ends += static_cast<double>(embedding + head);
    if (chunk.embedding) add_trained(totals.embedding());
    if (chunk.head) add_trained(totals.head());
  }
  return units;
}

}  // namespace

HeldState held_units(const Recipe& recipe, const ModelTotals& totals,
                     const std::vector<ChunkLayout>& chunks, const StateShard& shard,
                     int micro_batches) {
  const UnitRules& rules = *sharding_of(recipe).units;
  const StageUnits units = units_of(totals, chunks);
  const double parameter = recipe.precision().activation.bytes();
  const auto reduced = static_cast<double>(bytes_of(recipe.optimizer.grad_reduce_dtype));
  const double buffers =
      1 + std::max(rules.forward_ahead, rules.backward_ahead) + (rules.copies_parameters ? 1 : 0);
  const double at_work =
      gathered_until(recipe) == Gathered::forward
          ? std::min(units.layers,
                     std::max(buffers * units.largest_layer,
                              units.largest_layer + static_cast<double>(rules.parameters_ahead)))
          : units.layers;
  HeldState held;
  const bool on_gpu = !recipe.offload.offload_param;
  // Else the shards of weights are the FP32 ones of the optimizer.
  const bool keeps = rules.keeps_weights || !recipe.precision().keeps_master_weights();
  held.weights = (at_work + units.ends) * parameter + (on_gpu ? shard.frozen * parameter : 0) +
                 (on_gpu && keeps ? shard.trained * parameter : 0);
  const double packed = (1 + rules.reductions_ahead) * reduced;
  held.gradients = shard.trained * (1 - recipe.offload.optimizer_share()) *
                       (rules.keeps_weights ? reduced : kFp32.bytes()) +
                   units.largest_trained * (parameter + packed);
  if (recipe.pp() > 1 && micro_batches > 1) held.gradients += units.trained * reduced;
  return held;
}

double reduced_at_once(const Recipe& recipe, const ModelTotals& totals,
                       const std::vector<ChunkLayout>& chunks) {
  const StageUnits units = units_of(totals, chunks);
  const auto reduced = static_cast<double>(bytes_of(recipe.optimizer.grad_reduce_dtype));
  const double buckets = recipe.overlap.overlap_grad_reduce ? 2 : 1;
  return units.largest_trained * recipe.precision().activation.bytes() +
         std::min(buckets * recipe.optimizer.bucket_size_mb * 1e6, units.trained * reduced);
}

}  // namespace simtrain
