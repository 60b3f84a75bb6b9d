#include <random>

#include <doctest/doctest.h>

#include "sim/workload/schedule/recipe_grid.h"

namespace simtrain::testing::rank_grid_test {

namespace {

Recipe grid_recipe(int tp, int cp, int pp) {
  Recipe recipe;
  recipe.parallelism.tensor_model_parallel_size = tp;
  recipe.parallelism.context_parallel_size = cp;
  recipe.parallelism.pipeline_model_parallel_size = pp;
  recipe.training.micro_batch_size = 2;
  recipe.training.global_batch_size = 48;
  return recipe;
}

/// TP2 CP2 PP2 on 24 GPUs: DP3.
RankGrid small() { return rank_grid(grid_recipe(2, 2, 2), 24); }

using Ranks = std::vector<int>;

}  // namespace

TEST_CASE("data parallelism takes the GPUs that the other dimensions leave") {
  CHECK(small().dp() == 3);
  CHECK(small().ranks() == 24);
}

TEST_CASE("a replica works through its share of the global batch in micro-batches") {
  CHECK(small().micro_batches() == 48 / (3 * 2));
}

TEST_CASE("ranks count tensor first, then context, data and pipeline, as Megatron does") {
  CHECK(small().rank({1, 0, 0, 0}) == 1);
  CHECK(small().rank({0, 1, 0, 0}) == 2);
  CHECK(small().rank({0, 0, 1, 0}) == 4);
  CHECK(small().rank({0, 0, 0, 1}) == 12);
  CHECK(small().rank({1, 1, 2, 1}) == 23);
}

TEST_CASE("the groups of a rank are as counted by hand") {
  const RankGrid grid = small();
  // Rank 19 is tp 1, cp 1, dp 1, pp 1.
  CHECK(grid.group(GroupKind::tensor, 19) == Ranks{18, 19});
  CHECK(grid.group(GroupKind::context, 19) == Ranks{17, 19});
  CHECK(grid.group(GroupKind::replica, 19) == Ranks{16, 17, 18, 19});
  CHECK(grid.group(GroupKind::data, 19) == Ranks{13, 15, 17, 19, 21, 23});
  CHECK(grid.group(GroupKind::model, 19) == Ranks{6, 7, 18, 19});
}

TEST_CASE("FP8 tensors share their amax over the stage, or over TP x CP, and none without FP8") {
  Recipe recipe = grid_recipe(2, 2, 2);
  CHECK(rank_grid(recipe, 24).group(GroupKind::amax, 17) == Ranks{17});
  recipe.training.precision = Precision::fp8;
  CHECK(rank_grid(recipe, 24).group(GroupKind::amax, 17) ==
        Ranks{12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
  CHECK(rank_grid(recipe, 24).ranks_of(GroupKind::amax) == 12);
  recipe.software.tp_only_amax_red.value = true;
  CHECK(rank_grid(recipe, 24).group(GroupKind::amax, 17) == Ranks{16, 17, 18, 19});
}

TEST_CASE("stages follow each other in a ring") {
  const RankGrid grid = small();
  CHECK(grid.stage_neighbour(7, 1) == 19);
  CHECK(grid.stage_neighbour(19, 1) == 7);
  CHECK(grid.stage_neighbour(7, -1) == 19);
  const RankGrid long_grid = rank_grid(grid_recipe(1, 1, 4), 8);
  CHECK(long_grid.stage_neighbour(1, -1) == 7);
  CHECK(long_grid.stage_neighbour(1, 5) == 3);
}

TEST_CASE("coordinates and rank are each other's inverse, and groups hold their rank") {
  constexpr std::uint64_t kSeed = 7;
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 200; ++i) {
    const auto upto = [&](unsigned most) { return 1 + static_cast<int>(random() % most); };
    const int tp = upto(8);
    const int cp = upto(4);
    const int pp = upto(6);
    const int gpus = tp * cp * pp * upto(5);
    INFO("seed ", kSeed, ", case ", i, ": TP ", tp, " CP ", cp, " PP ", pp, " GPUs ", gpus);
    const RankGrid grid = rank_grid(grid_recipe(tp, cp, pp), gpus);
    CHECK(grid.ranks() == gpus);
    for (int rank = 0; rank < gpus; ++rank) {
      CHECK(grid.rank(grid.coordinates(rank)) == rank);
      const auto at = grid.coordinates(rank);
      CHECK(grid.group(GroupKind::tensor, rank)[static_cast<std::size_t>(at.tp)] == rank);
      CHECK(grid.group(GroupKind::context, rank)[static_cast<std::size_t>(at.cp)] == rank);
      CHECK(grid.group(GroupKind::data, rank)[static_cast<std::size_t>(at.cp + cp * at.dp)] ==
            rank);
      CHECK(grid.group(GroupKind::model, rank)[static_cast<std::size_t>(at.tp + tp * at.pp)] ==
            rank);
      CHECK(grid.stage_neighbour(grid.stage_neighbour(rank, 1), -1) == rank);
    }
  }
}

}  // namespace simtrain::testing::rank_grid_test
