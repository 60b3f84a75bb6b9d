#include "sim/workload/model/sharding.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <doctest/doctest.h>

#include "sim/workload/plan/data/whole_tensors.h"
#include "sim/workload/plan/stage_passes.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "tests/workload/sharded.h"

namespace simtrain::testing::sharding_test {

namespace {

std::vector<std::int64_t> bytes_of(const Program& program, const std::vector<std::uint32_t>& ops) {
  std::vector<std::int64_t> bytes;
  for (const std::uint32_t op : ops)
    bytes.push_back(program.transfers[program.ops[op].cost].bytes.value());
  return bytes;
}

std::int64_t sum(const std::vector<std::int64_t>& numbers) {
  std::int64_t total = 0;
  for (const std::int64_t number : numbers) total += number;
  return total;
}

std::int64_t gathered(const Program& program) { return sum(bytes_of(program, gathers(program))); }

std::int64_t reduced(const Program& program) { return sum(bytes_of(program, reductions(program))); }

}  // namespace

TEST_CASE("every strategy has a row, found by its kind") {
  CHECK(sharding_rows().size() == EnumNames<Sharding>::rows.size());
  for (const auto& row : EnumNames<Sharding>::rows) {
    const auto name = row.first;
    const Sharding kind = row.second;
    CAPTURE(name);
    CHECK(row_of(kind).kind == kind);
    CHECK_FALSE(row_of(kind).meaning.empty());
  }
}

TEST_CASE("without a strategy the distributed optimizer says which it is") {
  Recipe recipe = llama_8b();
  CHECK(sharding_of(recipe).kind == Sharding::zero1);
  recipe.optimizer.distributed = false;
  CHECK(sharding_of(recipe).kind == Sharding::ddp);
}

TEST_CASE("a micro-batch gathers layers twice, embedding and head once, and reduces all once") {
  for (const Sharding strategy : kOfUnits) {
    CAPTURE(name_of(strategy));
    const Program program = program_of(sharded(strategy));
    CHECK(gathered(program) == kMicroBatches * 2 * (kAll + kLayers * kLayer));
    CHECK(reduced(program) == kMicroBatches * 4 * kAll);
  }
}

TEST_CASE("units are gathered in the order of a pass, and reduced in that of the backward") {
  const Program program = program_of(sharded(Sharding::fsdp2));
  const std::vector<std::int64_t> gather = bytes_of(program, gathers(program));
  REQUIRE(gather.size() == kMicroBatches * (2 * kLayers + 2));
  CHECK(gather.front() == 2 * kEmbedding);
  CHECK(gather[kLayers + 1] == 2 * kHead);
  CHECK(gather[kLayers + 2] == 2 * kLayer);
  CHECK(gather[2 * kLayers + 2] == 2 * kEmbedding);
  const std::vector<std::int64_t> reduce = bytes_of(program, reductions(program));
  REQUIRE(reduce.size() == kMicroBatches * (kLayers + 2));
  CHECK(reduce.front() == 4 * kHead);
  CHECK(reduce[1] == 4 * kLayer);
  CHECK(reduce[kLayers + 1] == 4 * kEmbedding);
}

TEST_CASE("parameters that stay after a forward are not gathered for the backward") {
  Recipe recipe = sharded(Sharding::fsdp2);
  recipe.sharding.reshard_after_forward = false;
  CHECK(gathered_until(recipe) == Gathered::backward);
  CHECK(gathered(program_of(recipe)) == kMicroBatches * 2 * kAll);
  CHECK(reduced(program_of(recipe)) == kMicroBatches * 4 * kAll);
}

TEST_CASE("pipeline stages gather once a step, and reduce the sum of all micro-batches") {
  const Recipe recipe = staged(Sharding::fsdp2);
  CHECK(gathered_until(recipe) == Gathered::step);
  const std::int64_t first = 2 * kLayer + kEmbedding;
  const std::int64_t last = 2 * kLayer + kHead;
  CHECK(gathered(program_of(recipe, 0)) == 2 * first);
  CHECK(reduced(program_of(recipe, 0)) == 4 * first);
  CHECK(gathered(program_of(recipe, 1)) == 2 * last);
  CHECK(reduced(program_of(recipe, 1)) == 4 * last);
}

TEST_CASE("pipeline stages that drop parameters gather them in every pass") {
  Recipe recipe = staged(Sharding::fsdp2);
  recipe.sharding.reshard_after_forward = true;
  const Program program = program_of(recipe, 0);
  CHECK(gathered(program) == kMicroBatches * 2 * (4 * kLayer + kEmbedding));
  CHECK(reduced(program) == 4 * (2 * kLayer + kEmbedding));
}

TEST_CASE("layers kept in FP8 are gathered in one byte, embedding and head in two") {
  Recipe recipe = sharded(Sharding::fsdp2);
  recipe.training.precision = Precision::fp8;
  const std::int64_t bf16 = gathered(program_of(recipe));
  recipe.training.fp8_params = true;
  CHECK(bf16 - gathered(program_of(recipe)) == kMicroBatches * 2 * kLayers * kLayer);
  CHECK(reduced(program_of(recipe)) == kMicroBatches * 4 * kAll);
}

TEST_CASE("weights that are gathered anew are cast to FP8 anew") {
  const auto casts = [](Recipe recipe) {
    recipe.training.precision = Precision::fp8;
    return piece_counts(recipe, 0, kMicroBatches)[{Part::layer, Phase::weight_cast, 0}];
  };
  CHECK(casts(sharded(Sharding::zero1)) == kLayers);
  CHECK(casts(sharded(Sharding::fsdp2)) == kMicroBatches * kLayers);
  CHECK(casts(staged(Sharding::fsdp2)) == kLayers / 2);
}

TEST_CASE("experts are gathered and reduced over their own data-parallel group") {
  Recipe recipe = sharded(Sharding::fsdp2);
  recipe.model = recipe_of("mixtral-8x7b").model;
  recipe.parallelism.expert_model_parallel_size = 2;
  const ModelTotals totals(recipe);
  std::int64_t experts = 0;
  for (int layer = 0; layer < recipe.model.num_layers; ++layer)
    experts += totals.layer(layer).reduced_over[static_cast<std::size_t>(GroupKind::expert_data)];
  REQUIRE(experts > 0);
  const Program program = program_of(recipe);
  const auto moved = [&](Label label) {
    return sum(bytes_of(program, transfers(program, label, GroupKind::expert_data)));
  };
  CHECK(moved(Label::parameter_gather) == kMicroBatches * 2 * 2 * experts);
  CHECK(moved(Label::gradient_reduce) == kMicroBatches * 4 * experts);
}

TEST_CASE("a rank that is alone exchanges and copies nothing") {
  Recipe recipe = sharded(Sharding::fsdp2);
  recipe.parallelism.context_parallel_size = 1;
  recipe.parallelism.tensor_model_parallel_size = 8;
  recipe.training.global_batch_size = 2;
  const Program program = program_of(recipe);
  CHECK(gathers(program).empty());
  CHECK(reductions(program).empty());
  CHECK(std::none_of(program.ops.begin(), program.ops.end(),
                     [](const Op& op) { return op.label == Label::parameter_gather; }));
}

TEST_CASE("replicas shard among neighbours and add up their shards' gradients") {
  for (const Sharding strategy : kOfUnits) {
    CAPTURE(name_of(strategy));
    const Program program = program_of(replicated(strategy, 2));
    CHECK(gathers(program).empty());
    CHECK(reductions(program).empty());
    const auto gather = transfers(program, Label::parameter_gather, GroupKind::shard);
    const auto reduce = transfers(program, Label::gradient_reduce, GroupKind::shard);
    const auto copies = transfers(program, Label::gradient_reduce, GroupKind::shard_copies);
    CHECK(sum(bytes_of(program, gather)) == kMicroBatches * 2 * (kAll + kLayers * kLayer));
    CHECK(sum(bytes_of(program, reduce)) == kMicroBatches * 4 * kAll);
    CHECK(sum(bytes_of(program, copies)) == kMicroBatches * 4 * kAll / 4);
    REQUIRE(copies.size() == reduce.size());
    for (std::size_t i = 0; i < copies.size(); ++i) {
      const Op& op = program.ops[copies[i]];
      CHECK(op.after[0] == reduce[i]);
      CHECK(op.stream == Stream::replicas);
      CHECK(program.transfers[op.cost].collective == Collective::all_reduce);
    }
    const auto norm = std::find_if(program.ops.begin(), program.ops.end(), [](const Op& op) {
      return op.compute && op.label == Label::gradient_norm;
    });
    REQUIRE(norm != program.ops.end());
    CHECK(norm->after[0] == copies.back());
  }
}

TEST_CASE("buckets of replicas are all-reduced among them too") {
  const Program program = program_of(replicated(Sharding::zero1, 2));
  const auto copies = transfers(program, Label::gradient_reduce, GroupKind::shard_copies);
  const auto reduce = transfers(program, Label::gradient_reduce, GroupKind::shard);
  CHECK(sum(bytes_of(program, reduce)) == 4 * kAll);
  CHECK(copies.size() == reduce.size());
  CHECK(std::abs(sum(bytes_of(program, copies)) - kAll) <=
        static_cast<std::int64_t>(copies.size()));
  CHECK(sum(bytes_of(program, transfers(program, Label::parameter_gather, GroupKind::shard))) ==
        2 * kAll);
}

TEST_CASE("ZeRO 2 reduces each micro-batch, ZeRO 1 their sum; both gather once a step") {
  for (const bool overlap : {false, true}) {
    const auto program = [&](Sharding strategy) {
      Recipe recipe = sharded(strategy);
      recipe.overlap.overlap_grad_reduce = overlap;
      recipe.overlap.overlap_param_gather = overlap;
      return program_of(recipe);
    };
    CHECK(reduced(program(Sharding::zero1)) == 4 * kAll);
    CHECK(reduced(program(Sharding::zero2)) == kMicroBatches * 4 * kAll);
    CHECK(gathered(program(Sharding::zero1)) == 2 * kAll);
    CHECK(gathered(program(Sharding::zero2)) == 2 * kAll);
  }
}

TEST_CASE("ranks that all sum gradients update and gather parts all the same") {
  const Program program = program_of(sharded(Sharding::zero1_sums));
  CHECK(reduced(program) == 4 * kAll);
  CHECK(gathered(program) == 2 * kAll);
  for (const std::uint32_t op : reductions(program))
    CHECK(program.transfers[program.ops[op].cost].collective == Collective::all_reduce);
}

TEST_CASE("ranks that own whole tensors broadcast them, each once a step") {
  Recipe recipe = sharded(Sharding::zero1_tensors);
  const Program program = program_of(recipe);
  CHECK(reduced(program) == 4 * kAll);
  CHECK(gathered(program) == 2 * kAll);
  CHECK(gathers(program).size() == 8);  // CP2 DP4
  for (const std::uint32_t op : gathers(program))
    CHECK(program.transfers[program.ops[op].cost].collective == Collective::broadcast);
}

TEST_CASE("whole tensors are dealt out, the largest first to the rank that has least") {
  const Recipe recipe = sharded(Sharding::zero1_tensors);
  const ModelTotals totals(recipe);
  const ChunkLayout all{.layers = kLayers, .embedding = true, .head = true};
  const auto shards = [&](int ranks) {
    return whole_tensor_shards(totals, all, GroupKind::data, ranks);
  };
  CHECK(shards(1) == std::vector<std::int64_t>{kAll});
  CHECK(shards(2).front() - shards(2).back() <= 4096 * 14336 * 2);
  // Four matrices and two norms a layer, embedding, output layer and its norm.
  CHECK(shards(1000).size() == 6 * kLayers + 3);
  CHECK(shards(1000).front() == kEmbedding);
  CHECK(shards(1000).back() == 4096);
  for (const int ranks : {2, 7, 64, 1000}) CHECK(sum(shards(ranks)) == kAll);
  CHECK(whole_tensor_shards(totals, all, GroupKind::expert_data, 8).empty());
}

TEST_CASE("ranks meet in passes that gather the same parameters in them") {
  const auto met = [](const Recipe& recipe) {
    return ranks_met_in_passes(recipe, rank_grid(recipe, 8));
  };
  CHECK(met(sharded(Sharding::zero1)) == 2);
  CHECK(met(sharded(Sharding::zero2)) == 2);
  CHECK(met(sharded(Sharding::fsdp2)) == 8);
  CHECK(met(replicated(Sharding::fsdp2, 2)) == 4);
  CHECK(met(staged(Sharding::fsdp2)) == 1);
  Recipe dropped = staged(Sharding::fsdp2);
  dropped.sharding.reshard_after_forward = true;
  CHECK(met(dropped) == 4);
}

TEST_CASE("shards and their copies partition the DP x CP ranks") {
  Recipe recipe = replicated(Sharding::fsdp2, 2);
  recipe.parallelism.tensor_model_parallel_size = 2;
  recipe.parallelism.pipeline_model_parallel_size = 2;
  const RankGrid grid = rank_grid(recipe, 32);  // TP2 CP2 DP4 PP2
  CHECK(grid.sharded_over(GroupKind::data) == GroupKind::shard);
  CHECK(grid.sharded_over(GroupKind::expert_data) == GroupKind::expert_data);
  CHECK(grid.group(GroupKind::shard, 1) == std::vector<int>{1, 3, 5, 7});
  CHECK(grid.group(GroupKind::shard, 27) == std::vector<int>{25, 27, 29, 31});
  CHECK(grid.group(GroupKind::shard_copies, 3) == std::vector<int>{3, 11});
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    std::vector<int> all;
    for (const int copy : grid.group(GroupKind::shard_copies, rank)) {
      const std::vector<int> shards = grid.group(GroupKind::shard, copy);
      all.insert(all.end(), shards.begin(), shards.end());
    }
    std::sort(all.begin(), all.end());
    CHECK(all == grid.group(GroupKind::data, rank));
  }
}

TEST_CASE("without replicas nobody holds a copy of a shard") {
  const RankGrid grid = rank_grid(sharded(Sharding::fsdp2), 8);
  CHECK(grid.sharded_over(GroupKind::data) == GroupKind::data);
  for (const GroupKind kind : {GroupKind::shard, GroupKind::shard_copies}) {
    CHECK(grid.ranks_of(kind) == 1);
    CHECK(grid.group(kind, 5) == std::vector<int>{5});
  }
}

}  // namespace simtrain::testing::sharding_test
