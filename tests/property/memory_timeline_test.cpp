// Memory over the step against the passes' own arithmetic, for random schedules.
#include "sim/run/analysis/memory_timeline.h"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

#include "sim/run/simulate.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "tests/property/rows.h"

namespace simtrain::testing::memory_timeline_test {

namespace {

int draw(std::mt19937& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

/// Llama 3.1 8B on PP nodes: TP 8, no DP.
Scenario random_scenario(std::mt19937& random) {
  Scenario scenario = scenario_of({"llama31_8b_h100", "bf16-8"});
  Recipe& recipe = scenario.recipe;
  const int stages = draw(random, 1, 8);
  const int chunks = stages == 1 ? 1 : draw(random, 1, 4);
  const int limit = 40 / (chunks > 1 ? stages : 1);
  recipe.parallelism.tensor_model_parallel_size = 8;
  recipe.parallelism.context_parallel_size = 1;
  recipe.parallelism.sequence_parallel = true;
  recipe.parallelism.pipeline_model_parallel_size = stages;
  recipe.parallelism.virtual_pipeline_model_parallel_size = chunks;
  recipe.model.num_layers = stages * chunks * draw(random, 1, 2);
  recipe.model.vocab_size = draw(random, 0, 1) == 0 ? 1024 : 128256;
  recipe.software.cross_entropy.value =
      draw(random, 0, 1) == 0 ? CrossEntropy::fused : CrossEntropy::jit;
  if (draw(random, 0, 1) == 0 && recipe.model.num_layers / stages / chunks > 1) {
    recipe.parallelism.account_for_embedding_in_pipeline_split = true;
    recipe.parallelism.account_for_loss_in_pipeline_split = true;
    recipe.model.num_layers -= 2;
  }
  recipe.overlap.overlap_p2p_comm = draw(random, 0, 1) == 0;
  recipe.overlap.defer_embedding_wgrad_compute = draw(random, 0, 1) == 0;
  recipe.overlap.wgrad_deferral_limit = draw(random, 0, 6);
  // Interleaved, Megatron takes whole groups of micro-batches.
  recipe.training.global_batch_size = draw(random, 1, limit) * (chunks > 1 ? stages : 1);
  scenario.placement.nodes = stages;
  return scenario;
}

struct MemoryOfStep {
  std::vector<StageMemory> stages;
  std::vector<RankMemory> ranks;
  Duration end{};
};

MemoryOfStep step_of(const Scenario& scenario) {
  const Recipe& recipe = scenario.recipe;
  const SimulatedStep simulated = simulate_step(scenario);
  return {stage_memory(recipe, scenario.cluster.gpu, simulated.grid),
          memory_timeline(recipe, scenario.cluster.gpu, simulated.grid, simulated.plan,
                          simulated.timeline),
          simulated.timeline.end};
}

}  // namespace

TEST_CASE("memory of a step peaks at the allocation reported for a stage, and ends as it began") {
  std::mt19937 random(20);
  for (int trial = 0; trial < 60; ++trial) {
    const Scenario scenario = random_scenario(random);
    const Recipe& recipe = scenario.recipe;
    CAPTURE(recipe.pp());
    CAPTURE(recipe.vp());
    CAPTURE(recipe.training.global_batch_size);
    CAPTURE(recipe.overlap.wgrad_deferral_limit);
    const MemoryOfStep simulated = step_of(scenario);
    for (const RankMemory& rank : simulated.ranks) {
      CAPTURE(rank.stage);
      const StageMemory& stage = simulated.stages[static_cast<std::size_t>(rank.stage)];
      CHECK(rank.peak() == doctest::Approx(stage.allocated()).epsilon(1e-9));
      CHECK(rank.points.front().time == Duration{});
      CHECK(rank.points.back().bytes == doctest::Approx(stage.kept()).epsilon(1e-9));
      CHECK(rank.points.back().time <= simulated.end);
      const auto later = [](const MemoryPoint& a, const MemoryPoint& b) {
        return a.time >= b.time;
      };
      CHECK(std::adjacent_find(rank.points.begin(), rank.points.end(), later) == rank.points.end());
      for (const MemoryPoint& point : rank.points) CHECK(point.bytes >= stage.kept() * (1 - 1e-9));
    }
  }
}

TEST_CASE("activations in flight follow the closed form where all chunks are alike") {
  std::mt19937 random(21);
  for (int trial = 0; trial < 200; ++trial) {
    const Scenario scenario = random_scenario(random);
    const Recipe& recipe = scenario.recipe;
    if (recipe.parallelism.account_for_loss_in_pipeline_split) continue;
    const RankGrid grid = rank_grid(recipe, scenario.gpus());
    const auto stages = stage_memory(recipe, scenario.cluster.gpu, grid);
    for (int stage = 0; stage < recipe.pp(); ++stage) {
      // kernels.md 5.3: passes before the first backward, and that one.
      const int after = recipe.pp() - stage - 1;
      const int warm_up = recipe.vp() == 1 ? after : 2 * after + (recipe.vp() - 1) * recipe.pp();
      const int flying = std::min(warm_up + 1, grid.micro_batches() * recipe.vp());
      const double chunk = pass_memory(recipe, ModelTotals(recipe), stage).activations.front();
      CHECK(stages[static_cast<std::size_t>(stage)].activations ==
            doctest::Approx(flying * chunk).epsilon(1e-9));
    }
  }
}

}  // namespace simtrain::testing::memory_timeline_test
