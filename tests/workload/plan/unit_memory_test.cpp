#include "sim/workload/plan/memory/unit_memory.h"

#include <doctest/doctest.h>

#include "sim/workload/plan/memory/memory.h"
#include "sim/workload/plan/memory/memory_parts.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "tests/workload/sharded.h"

namespace simtrain::testing::unit_memory_test {

namespace {

StageMemory memory_of(const Recipe& recipe, std::size_t stage = 0) {
  return stage_memory(recipe, gpu("h100-sxm"), rank_grid(recipe, 8))[stage];
}

}  // namespace

TEST_CASE("sharded state shrinks by the number of shards, by one of replicas less") {
  for (const Sharding strategy : kOfUnits) {
    CAPTURE(name_of(strategy));
    CHECK(memory_of(sharded(strategy)).optimizer == 12.0 * kAll / 8);
    CHECK(memory_of(replicated(strategy, 2)).optimizer == 12.0 * kAll / 4);
    const double more = memory_of(replicated(strategy, 2)).gradients;
    CHECK(more - memory_of(sharded(strategy)).gradients == 4.0 * kAll / 8);
  }
}

TEST_CASE("the units at work hold their parameters, once more those that are copied out") {
  // Embedding and head stay; of layers the one at work, those ahead and the gather's buffer.
  constexpr double kEnds = kEmbedding + kHead;
  constexpr double kShard = kAll / 8.0;
  const auto weights = [](Sharding strategy) { return memory_of(sharded(strategy)).weights; };
  CHECK(weights(Sharding::fsdp1) == 2 * (2.0 * kLayer + kEnds));
  CHECK(weights(Sharding::fsdp2) == 2 * (4.0 * kLayer + kEnds));
  CHECK(weights(Sharding::xla_fsdp) == 2 * (2.0 * kLayer + kEnds));
  CHECK(weights(Sharding::zero3) == 2 * (3.0 * kLayer + kEnds + kShard));
  CHECK(weights(Sharding::megatron_fsdp) == 2 * (kLayer + 5e8 + kEnds + kShard));
  Recipe kept = sharded(Sharding::fsdp1);
  kept.sharding.reshard_after_forward = false;
  CHECK(memory_of(kept).weights == 2.0 * kAll);
  Recipe small = sharded(Sharding::fsdp2);
  small.model.num_layers = 2;
  CHECK(memory_of(small).weights == 2 * (2.0 * kLayer + kEnds));
}

TEST_CASE("with gradients sharded alone, the largest unit's and the buckets are there beside") {
  Recipe recipe = sharded(Sharding::zero2);
  recipe.optimizer.bucket_size_mb = 100;
  CHECK(memory_of(recipe).gradients == 4.0 * kAll / 8 + 2.0 * kHead + 2 * 100e6);
  recipe.overlap.overlap_grad_reduce = false;
  CHECK(memory_of(recipe).gradients == 4.0 * kAll / 8 + 2.0 * kHead + 100e6);
}

TEST_CASE("gradients of a unit are held as computed and as packed") {
  // The head is the largest one.
  constexpr double kShard = kAll / 8.0;
  const auto gradients = [](Sharding strategy, DataType type) {
    Recipe recipe = sharded(strategy);
    recipe.optimizer.grad_reduce_dtype = type;
    return memory_of(recipe).gradients;
  };
  CHECK(gradients(Sharding::fsdp1, DataType::fp32) == 4 * kShard + kHead * (2 + 4));
  CHECK(gradients(Sharding::fsdp2, DataType::fp32) == 4 * kShard + kHead * (2 + 2 * 4));
  CHECK(gradients(Sharding::fsdp2, DataType::bf16) == 4 * kShard + kHead * (2 + 2 * 2));
  CHECK(gradients(Sharding::zero3, DataType::bf16) == 2 * kShard + kHead * (2 + 2));
}

TEST_CASE("pipeline stages hold the sums of gradients that they reduce once a step") {
  constexpr double kStage = 2 * kLayer + kEmbedding;
  Recipe recipe = staged(Sharding::fsdp2);
  const double several = memory_of(recipe).gradients;
  CHECK(memory_of(recipe).weights == 2 * kStage);
  recipe.training.global_batch_size = 4;  // one micro-batch
  CHECK(several - memory_of(recipe).gradients == 4 * kStage);
}

TEST_CASE("ZeRO 2 keeps whole weights and shards gradients, ZeRO 1 keeps both") {
  const StageMemory one = memory_of(sharded(Sharding::zero1));
  const StageMemory two = memory_of(sharded(Sharding::zero2));
  CHECK(one.weights == 2.0 * kAll);
  CHECK(two.weights == 2.0 * kAll);
  CHECK(one.gradients == 4.0 * kAll);
  const double bucket = 1e6 * sharded(Sharding::zero2).optimizer.bucket_size_mb;
  CHECK(two.gradients == 4.0 * kAll / 8 + 2.0 * kHead + 2 * bucket);
  CHECK(two.optimizer == one.optimizer);
}

TEST_CASE("replicas open a communicator for shards and one for copies") {
  const auto opened = [](int degree) {
    const Recipe recipe = replicated(Sharding::fsdp2, degree);
    return communicators(recipe, rank_grid(recipe, 8), 0);
  };
  CHECK(opened(2).larger - opened(1).larger == 1);
  CHECK(opened(2).pairs - opened(1).pairs == 1);
}

}  // namespace simtrain::testing::unit_memory_test
