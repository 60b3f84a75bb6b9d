#include "sim/workload/model/optimizer_state.h"

#include <doctest/doctest.h>

#include "sim/workload/plan/memory/memory.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "tests/workload/sharded.h"

namespace simtrain::testing::optimizer_state_test {
namespace {

/// Gradients in BF16, in Transformer Engine's Adam.
Recipe precise() {
  Recipe recipe = sharded(Sharding::zero1);
  recipe.optimizer.grad_reduce_dtype = DataType::bf16;
  recipe.optimizer.use_precision_aware_optimizer = true;
  return recipe;
}

StageMemory memory_of(const Recipe& recipe) {
  return stage_memory(recipe, gpu("h100-sxm"), rank_grid(recipe, 8)).front();
}

}  // namespace

TEST_CASE("usual Adam keeps 12 bytes of a parameter and moves FP32 tensors") {
  Recipe recipe = sharded(Sharding::zero1);
  OptimizerState state = optimizer_state(recipe);
  CHECK(state.bytes() == 12);
  CHECK(state.traffic == 8 + 28 + 6);
  recipe.training.precision = Precision::tf32;
  state = optimizer_state(recipe);
  CHECK(state.bytes() == 8);
  CHECK(state.traffic == 8 + 28);
}

TEST_CASE("the precision-aware one keeps what a BF16 parameter lacks, and gradients as they are") {
  Recipe recipe = precise();
  OptimizerState state = optimizer_state(recipe);
  CHECK(state.main_weight == 2);
  CHECK(state.bytes() == 10);
  // The gradient scaled and read, two moments, both halves of the weight.
  CHECK(state.traffic == 4 + 2 + 16 + 8);
  recipe.optimizer.store_param_remainders = false;
  state = optimizer_state(recipe);
  CHECK(state.bytes() == 12);
  CHECK(state.traffic == 4 + 2 + 16 + 10);
  recipe.optimizer.store_param_remainders = true;
  recipe.training.precision = Precision::fp8;
  recipe.training.fp8_params = true;
  CHECK(optimizer_state(recipe).main_weight == 4);
}

TEST_CASE("moments of other types are copied into FP32 and back") {
  Recipe recipe = precise();
  const double base = optimizer_state(recipe).traffic;
  recipe.optimizer.exp_avg_dtype = StateType::bf16;
  recipe.optimizer.exp_avg_sq_dtype = StateType::bf16;
  OptimizerState state = optimizer_state(recipe);
  CHECK(state.bytes() == 6);
  CHECK(state.traffic == base + 2 * 12);
  recipe.optimizer.main_params_dtype = StateType::fp16;
  recipe.optimizer.exp_avg_dtype = StateType::fp8;
  state = optimizer_state(recipe);
  CHECK(state.bytes() == 2 + 1 + 2);
}

TEST_CASE("without Transformer Engine's Adam they are moved as they are") {
  Recipe recipe = sharded(Sharding::xla_fsdp);
  const double base = optimizer_state(recipe).traffic;
  recipe.optimizer.exp_avg_dtype = StateType::bf16;
  CHECK(optimizer_state(recipe).bytes() == 10);
  CHECK(optimizer_state(recipe).traffic == base - 4);
}

TEST_CASE("the host's optimizer is FP32, whatever Megatron calls it") {
  Recipe recipe = precise();
  recipe.offload.optimizer_cpu_offload = true;
  CHECK(optimizer_state(recipe).bytes() == 12);
}

TEST_CASE("memory counts what is kept") {
  Recipe recipe = precise();
  recipe.optimizer.exp_avg_dtype = StateType::bf16;
  recipe.optimizer.exp_avg_sq_dtype = StateType::bf16;
  CHECK(memory_of(recipe).optimizer == 6.0 * kAll / 8);
}

}  // namespace simtrain::testing::optimizer_state_test
