// The plan that simulates one piece: which ranks it simulates and how far its groups reach.
#include <doctest/doctest.h>

#include "sim/workload/plan/program/step_plan.h"
#include "tests/workload/setup.h"

namespace simtrain::testing::piece_plan_test {

namespace {

/// Llama 3.1 70B on two nodes of eight H100.
Recipe llama_70b(int tp, int cp) {
  Recipe recipe = recipe_of("llama3.1-70b");
  recipe.parallelism.tensor_model_parallel_size = tp;
  recipe.parallelism.context_parallel_size = cp;
  recipe.parallelism.sequence_parallel = tp > 1;
  return recipe;
}

Plan layer_plan(const Recipe& recipe, bool unfold) {
  const StepSetup setup(recipe, "dgx-superpod-h100", 2, unfold);
  return piece_plan(setup.context(), {Part::layer, Phase::forward}, 0);
}

/// The first message of the context ring of a layer's forward.
TransferCost context_message(const Plan& plan) {
  for (const Op& op : plan.programs.front().ops) {
    if (op.stream == Stream::context && !op.compute)
      return plan.programs.front().transfers[op.cost];
  }
  return {};
}

}  // namespace

TEST_CASE("a piece is simulated on one rank, unfolded on all of the first replica's") {
  CHECK(layer_plan(llama_70b(4, 2), false).ranks.size() == 1);
  CHECK(layer_plan(llama_70b(4, 2), true).ranks.size() == 8);
}

TEST_CASE("amax values go to the network where replicas share them") {
  Recipe recipe = llama_70b(4, 2);
  recipe.training.precision = Precision::fp8;
  const auto reduction = [](const Recipe& of) {
    const StepSetup setup(of, "dgx-superpod-h100", 2);
    return piece_plan(setup.context(), {Part::amax}, 0).programs.front().transfers.at(0);
  };
  recipe.software.tp_only_amax_red.value = true;
  const TransferCost inside = reduction(recipe);
  recipe.software.tp_only_amax_red.value = false;
  const TransferCost over_replicas = reduction(recipe);
  CHECK(inside.bytes.value() == over_replicas.bytes.value());
  CHECK(inside.latency < over_replicas.latency);
}

TEST_CASE("a context ring inside a node goes over NVLink, one between nodes over the network") {
  const TransferCost near = context_message(layer_plan(llama_70b(4, 2), false));
  const TransferCost far = context_message(layer_plan(llama_70b(8, 2), false));
  CHECK(near.bytes.value() == 2 * far.bytes.value());
  CHECK(near.limit > far.limit);
}

// TP4 CP4 on nodes of eight: of the ring's four hops two stay in a node and two leave it.
TEST_CASE("a context ring that leaves a node anywhere is as slow as its slowest hop") {
  const TransferCost mixed = context_message(layer_plan(llama_70b(4, 4), false));
  const TransferCost far = context_message(layer_plan(llama_70b(8, 2), false));
  CHECK(mixed.limit == far.limit);
  CHECK(mixed.latency == far.latency);
}

}  // namespace simtrain::testing::piece_plan_test
