#pragma once

#include "sim/workload/model/recipe.h"
#include "sim/workload/parallel/rank_grid.h"

namespace simtrain {

/// The ranks of a recipe on `gpus` GPUs, a multiple of tp * cp * pp (the scenario checks it). FP8
/// tensors share their amax over TP x CP x DP, or with `tp_only_amax_red` over TP x CP.
RankGrid rank_grid(const Recipe& recipe, int gpus);

}  // namespace simtrain
