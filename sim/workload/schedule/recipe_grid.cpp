#include "sim/workload/schedule/recipe_grid.h"

#include "sim/workload/schedule/schedule.h"

namespace simtrain {
namespace {

AxisSet amax_axes(const Recipe& recipe) {
  if (!recipe.precision().delayed_scaling) return {};
  if (recipe.software.tp_only_amax_red.value) return {Axis::tp, Axis::cp};
  return row_of(GroupKind::amax).axes;
}

}  // namespace

RankGrid rank_grid(const Recipe& recipe, int gpus) {
  GridSizes sizes;
  sizes.tp = recipe.tp();
  sizes.cp = recipe.cp();
  sizes.pp = recipe.pp();
  sizes.amax = amax_axes(recipe);
  sizes.dp = gpus / (sizes.tp * sizes.cp * sizes.pp);
  sizes.ep = recipe.ep();
  sizes.etp = recipe.etp();
  sizes.replicas = recipe.sharding.data_parallel_replicate_degree;
  sizes.copies = pipeline_shape(recipe, 1).copies();
  sizes.experts = recipe.model.has_experts();
  sizes.micro_batches =
      recipe.training.global_batch_size / (recipe.training.micro_batch_size * sizes.dp);
  return RankGrid(sizes);
}

}  // namespace simtrain
