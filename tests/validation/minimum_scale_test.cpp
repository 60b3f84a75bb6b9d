// What the recipe documents state about the fewest GPUs, as far as it is about memory.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sim/run/scenario/scenario.h"
#include "sim/workload/plan/memory/memory.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::minimum_scale_test {
namespace {

/// A documented row with another number of nodes: DP and the global batch scale with it, as from
/// row to row of the documents' tables.
Room room(const std::string& file, const std::string& row, double scale = 1) {
  const DataFolder data(testing::source_dir());
  const auto source = ScenarioSource::from_file(data.root() + "/scenarios/" + file + ".yaml");
  Scenario scenario = source.scenario(data, row, {});
  Recipe& recipe = scenario.recipe;
  recipe.training.global_batch_size = static_cast<int>(recipe.training.global_batch_size * scale);
  const RankGrid grid = rank_grid(recipe, static_cast<int>(scenario.gpus() * scale));
  const auto capacity = static_cast<double>(scenario.cluster.gpu.memory_capacity.value.value());
  return room_of(stage_memory(recipe, scenario.cluster.gpu, grid), capacity);
}

}  // namespace

// 001: "at least 8x H100 GPUs with 80 GB".
TEST_CASE("Llama 3.1 8B fits 8 H100; half of them are tight, a quarter too few") {
  CHECK(room("llama31_8b_h100", "bf16-8") == Room::enough);
  CHECK(room("llama31_8b_h100", "fp8-8") == Room::enough);
  CHECK(room("llama31_8b_h100", "bf16-8", 0.5) == Room::tight);
  CHECK(room("llama31_8b_h100", "bf16-8", 0.25) == Room::none);
  CHECK(room("llama31_8b_h100", "fp8-8", 0.25) == Room::none);
}

// 004: "at least 16x H100 GPUs with 80 GB"; 003 says the same.
TEST_CASE("Nemotron4 15B fits 16 H100 and not 8") {
  CHECK(room("nemotron4_15b_h100", "bf16-16") != Room::none);
  CHECK(room("nemotron4_15b_h100", "fp8-16") != Room::none);
  CHECK(room("nemotron4_15b_h100", "bf16-16", 0.5) == Room::none);
  CHECK(room("nemotron4_15b_h100", "fp8-16", 0.5) == Room::none);
}

// 002: "At least 128 GPUs with at least 80 GB memory each"; 003 says the same.
TEST_CASE("Nemotron4 340B fits 128 H100 and not 64") {
  CHECK(room("nemotron4_340b_h100_2411", "bf16-128") != Room::none);
  CHECK(room("nemotron4_340b_h100_2411", "fp8-128") != Room::none);
  CHECK(room("nemotron4_340b_h100_2411", "bf16-128", 0.5) == Room::none);
  CHECK(room("nemotron4_340b_h100_2411", "fp8-128", 0.5) == Room::none);
}

// 003: 128 GB200 and 128 B200 are the smallest scales listed, not the smallest that hold it.
TEST_CASE("Nemotron4 340B has room on 128 Blackwell GPUs") {
  for (const char* file : {"nemotron4_340b_gb200", "nemotron4_340b_b200"}) {
    CHECK(room(file, "bf16-128") == Room::enough);
    CHECK(room(file, "fp8-128") == Room::enough);
  }
}

}  // namespace simtrain::testing::minimum_scale_test
