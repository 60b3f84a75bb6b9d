// Sharded frozen weights: gathered as any, neither reduced nor updated.
#include <doctest/doctest.h>

#include "sim/workload/plan/memory/memory.h"
#include "tests/workload/sharded.h"

namespace simtrain::testing::sharded_adapters_test {

namespace {

constexpr std::int64_t kAdapters = std::int64_t{8} * (4096 + 6144);  // of a layer

Recipe with_adapters(Recipe recipe) {
  recipe.lora = LoraSpec{8, {LoraModule::linear_qkv}};
  return recipe;
}

std::int64_t bytes_of_calls(const Program& program, const std::vector<std::uint32_t>& ops) {
  std::int64_t bytes = 0;
  for (const std::uint32_t op : ops) bytes += program.transfers[program.ops[op].cost].bytes.value();
  return bytes;
}

}  // namespace

TEST_CASE("All units are gathered with their adapters, adapters alone are reduced") {
  for (const Sharding strategy : kOfUnits) {
    CAPTURE(name_of(strategy));
    const Program all = program_of(sharded(strategy));
    const Program adapters = program_of(with_adapters(sharded(strategy)));
    CHECK(gathers(adapters).size() == gathers(all).size());
    CHECK(bytes_of_calls(adapters, gathers(adapters)) - bytes_of_calls(all, gathers(all)) ==
          kLayers * kMicroBatches * 4 * kAdapters);
    CHECK(bytes_of_calls(adapters, reductions(adapters)) ==
          kLayers * kMicroBatches * 4 * kAdapters);
    CHECK(reductions(adapters).size() == kLayers * kMicroBatches);
  }
}

TEST_CASE("A shard of frozen weights is kept as it is gathered") {
  const Recipe recipe = with_adapters(sharded(Sharding::fsdp2));
  const StageMemory memory = stage_memory(recipe, gpu("h100-sxm"), rank_grid(recipe, 8)).front();
  constexpr double kEnds = kEmbedding + kHead;
  constexpr double kTrained = kLayers * kAdapters;
  CHECK(memory.weights == 2 * (4.0 * (kLayer + kAdapters) + kEnds + kAll / 8.0));
  CHECK(memory.optimizer == 12 * kTrained / 8);
  CHECK(memory.gradients == 4 * kTrained / 8 + kAdapters * (2 + 2 * 4));
}

TEST_CASE("Without sharded parameters buckets hold adapters alone") {
  Recipe recipe = with_adapters(sharded(Sharding::zero1));
  const Program program = program_of(recipe);
  CHECK(bytes_of_calls(program, reductions(program)) == kLayers * 4 * kAdapters);
  CHECK(bytes_of_calls(program, gathers(program)) == kLayers * 2 * kAdapters);
  recipe.sharding.strategy = Sharding::zero2;
  const Program each = program_of(recipe);
  CHECK(bytes_of_calls(each, reductions(each)) == kLayers * kMicroBatches * 4 * kAdapters);
}

}  // namespace simtrain::testing::sharded_adapters_test
