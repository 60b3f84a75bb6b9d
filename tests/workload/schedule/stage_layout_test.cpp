#include "sim/workload/schedule/stage_layout.h"

#include <doctest/doctest.h>

#include "tests/workload/recipes.h"

namespace simtrain::testing::stage_layout_test {

namespace {

std::vector<std::vector<int>> layers_by_stage(const Recipe& recipe) {
  std::vector<std::vector<int>> result;
  for (int stage = 0; stage < recipe.pp(); ++stage) {
    result.emplace_back();
    for (const ChunkLayout& chunk : stage_chunks(recipe, stage))
      result.back().push_back(chunk.layers);
  }
  return result;
}

int sum(const std::vector<std::vector<int>>& layers) {
  int total = 0;
  for (const auto& stage : layers) {
    for (const int count : stage) total += count;
  }
  return total;
}

/// Parameters of all stages on one tensor-parallel rank.
std::int64_t parameters_of_a_rank(const Recipe& recipe) {
  std::int64_t total = 0;
  for (int stage = 0; stage < recipe.pp(); ++stage) {
    for (const ChunkLayout& chunk : stage_chunks(recipe, stage))
      total += chunk_parameters(ModelTotals(recipe), chunk);
  }
  return total;
}

}  // namespace

TEST_CASE("the 126 layers of the 405B with embedding and loss counted fill 64 chunks of two") {
  const auto layers = layers_by_stage(llama_405b());
  CHECK(layers.front() == std::vector<int>{1, 2, 2, 2, 2, 2, 2, 2});
  CHECK(layers[3] == std::vector<int>(8, 2));
  CHECK(layers.back() == std::vector<int>{2, 2, 2, 2, 2, 2, 2, 1});
  CHECK(sum(layers) == 126);
}

TEST_CASE("every stage of the A4 recipe holds nine chunks of one layer") {
  const auto layers = layers_by_stage(llama_405b_a4());
  CHECK(layers == std::vector<std::vector<int>>(14, std::vector<int>(9, 1)));
}

TEST_CASE("the embedding is in the first chunk and the head in the last") {
  const Recipe recipe = llama_405b();
  for (int stage = 0; stage < recipe.pp(); ++stage) {
    const auto chunks = stage_chunks(recipe, stage);
    for (int chunk = 0; chunk < recipe.vp(); ++chunk) {
      CHECK(chunks[static_cast<std::size_t>(chunk)].embedding == (stage == 0 && chunk == 0));
      CHECK(chunks[static_cast<std::size_t>(chunk)].head == (stage == 7 && chunk == 7));
    }
  }
}

TEST_CASE("a single stage holds the whole model") {
  const auto chunks = stage_chunks(llama_8b(), 0);
  REQUIRE(chunks.size() == 1);
  CHECK(chunks[0].layers == 32);
  CHECK(chunks[0].embedding);
  CHECK(chunks[0].head);
}

TEST_CASE("the models have as many parameters as their names say") {
  CHECK(model_parameters(recipe_of("llama3.1-8b").model) == 8030261248);
  CHECK(model_parameters(recipe_of("llama3.1-70b").model) == 70553706496);
  CHECK(model_parameters(recipe_of("llama3.1-405b").model) == 405853388800);
  CHECK(static_cast<double>(model_parameters(recipe_of("nemotron4-15b").model)) ==
        doctest::Approx(15.6e9).epsilon(0.005));
  CHECK(static_cast<double>(model_parameters(recipe_of("nemotron4-340b").model)) ==
        doctest::Approx(341e9).epsilon(0.005));
}

TEST_CASE("the chunks of a rank without tensor parallelism hold the model's parameters") {
  CHECK(parameters_of_a_rank(llama_8b()) == model_parameters(llama_8b().model));
}

TEST_CASE("tensor parallelism divides all parameters but the norms'") {
  const Recipe recipe = llama_405b();
  const std::int64_t norms = (2 * 126 + 1) * 16384;
  CHECK(parameters_of_a_rank(recipe) == (model_parameters(recipe.model) - norms) / 8 + norms);
}

}  // namespace simtrain::testing::stage_layout_test
