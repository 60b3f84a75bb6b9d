// Mixtures of experts: how their ranks lie, what they hold, count and move.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "sim/workload/model/operators/experts/expert_shape.h"
#include "sim/workload/model/operators/experts/routing.h"
#include "sim/workload/plan/data/buckets.h"
#include "tests/core/sanitized.h"
#include "tests/workload/setup.h"

namespace simtrain::testing::experts_test {

namespace {

Recipe mixture(const std::string& model, int tp, int ep, int etp) {
  Recipe recipe = recipe_of(model);
  recipe.parallelism.tensor_model_parallel_size = tp;
  recipe.parallelism.sequence_parallel = tp > 1;
  recipe.parallelism.expert_model_parallel_size = ep;
  recipe.parallelism.expert_tensor_parallel_size = etp;
  return recipe;
}

std::int64_t reduced(const PartTotals& part, GroupKind group) {
  return part.reduced_over[static_cast<std::size_t>(group)];
}

bool holds_all(std::vector<int> outer, std::vector<int> inner) {
  std::sort(outer.begin(), outer.end());
  std::sort(inner.begin(), inner.end());
  return std::includes(outer.begin(), outer.end(), inner.begin(), inner.end());
}

/// What tokens that choose their experts one after the other make of `places` parts.
struct Drawn {
  double imbalance = 0;  ///< most rows of a place over the mean
  double distinct = 0;   ///< places that a token goes to, in the mean
};

Drawn drawn(const ExpertChoice& choice, int tokens, int places, std::mt19937& random) {
  const auto first_of = [&](std::vector<int>& all, std::int64_t chosen) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(chosen); ++i)
      std::swap(all[i], all[i + random() % (all.size() - i)]);
    all.resize(static_cast<std::size_t>(chosen));
  };
  std::vector<int> rows(static_cast<std::size_t>(places), 0);
  int visited = 0;
  const std::int64_t of_group = choice.experts / choice.groups;
  for (int token = 0; token < tokens; ++token) {
    std::vector<int> groups(static_cast<std::size_t>(choice.groups));
    std::iota(groups.begin(), groups.end(), 0);
    first_of(groups, choice.group_topk);
    std::vector<int> experts;
    for (const int group : groups) {
      for (std::int64_t i = 0; i < of_group; ++i)
        experts.push_back(static_cast<int>(group * of_group + i));
    }
    first_of(experts, choice.topk);
    std::vector<bool> seen(static_cast<std::size_t>(places), false);
    for (const int expert : experts) {
      const auto place = static_cast<std::size_t>(expert * places / choice.experts);
      ++rows[place];
      visited += seen[place] ? 0 : 1;
      seen[place] = true;
    }
  }
  return {*std::max_element(rows.begin(), rows.end()) * static_cast<double>(places) / tokens /
              static_cast<double>(choice.topk),
          static_cast<double>(visited) / tokens};
}

}  // namespace

TEST_CASE("mixtures have the parameters that their publishers state") {
  // Elements of the safetensors files, without biases that only the router's choice sees.
  struct Published {
    const char* model;
    std::int64_t parameters;
  };
  for (const Published& row :
       {Published{"mixtral-8x7b", 46702792704}, Published{"qwen3-30b-a3b", 30532122624},
        Published{"qwen3-235b-a22b", 235093634560}, Published{"deepseek-v2", 235741434880},
        Published{"deepseek-v2-lite", 15706484224}, Published{"gpt-oss-20b", 20914757184},
        Published{"gpt-oss-120b", 116829156672}, Published{"kimi-k2", 1026408232448 - 60 * 384},
        Published{"nemotron3-nano-30b-a3b", 31577940288 - 23 * 128}}) {
    CAPTURE(row.model);
    CHECK(model_parameters(recipe_of(row.model).model) == row.parameters);
  }
}

TEST_CASE("FLOPs count the experts that a token passes, not those that there are") {
  // GFLOP a token, forward and backward, whole squares of attention: NVIDIA's formula.
  struct Counted {
    const char* model;
    std::int64_t sequence;
    double gflop;
  };
  for (const Counted& row :
       {Counted{"mixtral-8x7b", 4096, 82.9}, Counted{"mixtral-8x22b", 4096, 250.7},
        Counted{"grok1-314b", 8192, 541.2}, Counted{"qwen3-30b-a3b", 4096, 27.8},
        Counted{"qwen3-235b-a22b", 4096, 167.0}, Counted{"llama4-maverick", 8192, 121.0},
        Counted{"dbrx", 4096, 227.2}}) {
    CAPTURE(row.model);
    const ModelFlops flops = model_flops(recipe_of(row.model).model, row.sequence);
    const double token =
        3 * (flops.products + flops.attention_square) / static_cast<double>(row.sequence) / 1e9;
    // The router's product is counted here and not there.
    CHECK(token == doctest::Approx(row.gflop).epsilon(0.01));
  }
}

TEST_CASE("experts lie in a mesh of their own over the ranks of a stage") {
  std::mt19937 random(17);
  const auto draw = [&] { return 1 << random() % 4; };
  for (int i = 0; i < 200; ++i) {
    GridSizes sizes;
    sizes.tp = draw();
    sizes.cp = draw();
    sizes.dp = 8 * draw();
    sizes.pp = draw();
    sizes.experts = true;
    const int stage = sizes.tp * sizes.cp * sizes.dp;
    do {
      sizes.etp = draw();
      sizes.ep = draw() * draw();
    } while (stage % (sizes.etp * sizes.ep) != 0);
    const RankGrid grid(sizes);
    CAPTURE(grid.ranks());
    const int rank = static_cast<int>(random() % static_cast<unsigned>(grid.ranks()));
    CHECK(grid.ranks_of(GroupKind::expert) == sizes.ep);
    CHECK(grid.ranks_of(GroupKind::expert_tokens) == sizes.ep * sizes.etp);
    CHECK(grid.ranks_of(GroupKind::expert_tokens) * grid.ranks_of(GroupKind::expert_data) == stage);
    const std::vector<int> pass = grid.group(GroupKind::replica, rank);
    for (const GroupKind kind : {GroupKind::tensor, GroupKind::context, GroupKind::expert,
                                 GroupKind::expert_tensor, GroupKind::expert_tokens})
      CHECK(holds_all(pass, grid.group(kind, rank)));
    for (const int other : grid.group(GroupKind::expert_data, rank))
      CHECK(grid.coordinates(other).pp == grid.coordinates(rank).pp);
  }
}

TEST_CASE("EP divides the experts and ETP each of them; the rest of a layer is whole") {
  const PartTotals whole = part_totals(mixture("mixtral-8x7b", 1, 1, 1), Part::layer);
  const PartTotals dealt = part_totals(mixture("mixtral-8x7b", 2, 4, 2), Part::layer);
  const std::int64_t experts = std::int64_t{8} * 3 * 4096 * 14336;
  CHECK(reduced(whole, GroupKind::expert_data) == experts);
  CHECK(reduced(dealt, GroupKind::expert_data) == experts / 8);
  CHECK(reduced(whole, GroupKind::data) + experts == whole.parameters);
  // Norms and the router are on every rank of a tensor group.
  CHECK(dealt.replicated_parameters == 2 * 4096 + 8 * 4096);
}

TEST_CASE("gradients of experts cross their own groups") {
  const StepSetup setup(mixture("mixtral-8x7b", 1, 8, 1), "dgx-superpod-h100", 4);
  const GradientGroups groups = gradient_groups(setup.context(), 0);
  CHECK(groups.data.ranks == 32);
  CHECK(groups.expert_data.ranks == 4);
  const ChunkBuckets buckets = chunk_buckets(setup.context(), {32, true, true}, groups);
  std::array<std::int64_t, kGroupKinds> bytes{};
  double before = 0;
  for (const BucketCall& bucket : buckets.reductions) {
    bytes[static_cast<std::size_t>(bucket.group)] += bucket.cost.bytes.value();
    CHECK(bucket.at >= before);
    before = bucket.at;
  }
  const std::int64_t experts = std::int64_t{32} * 3 * 4096 * 14336;
  CHECK(bytes[static_cast<std::size_t>(GroupKind::expert_data)] == 2 * experts);
  CHECK(bytes[static_cast<std::size_t>(GroupKind::data)] == 2 * (46702792704 - 8 * experts));
}

TEST_CASE("where every replica has experts of its own their gradients stay at home") {
  const StepSetup setup(mixture("mixtral-8x7b", 1, 8, 1), "dgx-superpod-h100", 1);
  const GradientGroups groups = gradient_groups(setup.context(), 0);
  const ChunkBuckets buckets = chunk_buckets(setup.context(), {32, true, true}, groups);
  for (const BucketCall& bucket : buckets.reductions) CHECK(bucket.group == GroupKind::data);
}

TEST_CASE("imbalance and places of random routing are those of draws, by groups too") {
  std::mt19937 random(5);
  struct Case {
    int tokens;
    ExpertChoice choice;
    int places;
  };
  const std::vector<Case> cases{
      {4096, {128, 8}, 8},        {4096, {256, 8}, 64},      {4096, {8, 2}, 8},
      {16384, {128, 4}, 32},      {2048, {16, 1}, 16},       {4096, {256, 8, 8, 4}, 8},
      {4096, {256, 8, 8, 4}, 64}, {4096, {160, 6, 8, 3}, 4}, {4096, {256, 8, 8, 4}, 2}};
  for (const Case& one : thinned(cases)) {
    Drawn mean;
    constexpr int kDraws = 40;
    for (int i = 0; i < kDraws; ++i) {
      const Drawn one_draw = drawn(one.choice, one.tokens, one.places, random);
      mean.imbalance += one_draw.imbalance / kDraws;
      mean.distinct += one_draw.distinct / kDraws;
    }
    CAPTURE(one.choice.experts);
    CAPTURE(one.places);
    CHECK(distinct_places(one.choice, one.places) == doctest::Approx(mean.distinct).epsilon(0.003));
    const double excess = random_imbalance(one.choice, one.tokens, one.places) - 1;
    CHECK(excess == doctest::Approx(mean.imbalance - 1).epsilon(0.1));
    CHECK(std::abs(excess - (mean.imbalance - 1)) < 0.015);
  }
  CHECK(random_imbalance({8, 2}, 4096, 1) == 1);
  CHECK(random_imbalance({8, 8}, 4096, 8) == 1);
  CHECK(random_imbalance({8, 1, 8, 1}, 4096, 8) ==
        doctest::Approx(random_imbalance({8, 1}, 4096, 8)));  // a group is an expert
}

TEST_CASE("capacity bounds what the busiest rank has to do") {
  Recipe recipe = mixture("qwen3-30b-a3b", 1, 16, 1);
  const auto imbalance = [&] { return ExpertShape(RankShape(recipe)).imbalance; };
  CHECK(imbalance() > 1.005);
  recipe.moe.moe_load_imbalance = 1.5;
  CHECK(imbalance() == 1.5);
  recipe.moe.moe_load_imbalance = 20;
  CHECK(imbalance() == 16);  // one rank has all rows
  recipe.moe.moe_load_imbalance = 1.5;
  recipe.moe.moe_expert_capacity_factor = 1.25;
  CHECK(imbalance() == 1.25);
  recipe.moe.moe_pad_expert_input_to_capacity = true;
  const ExpertShape padded{RankShape(recipe)};
  CHECK(padded.imbalance == 1);
  CHECK(padded.rows == doctest::Approx(1.25 * 8 * 8192));
}

TEST_CASE("gradients of tokens that all ranks gather are there in the backward of combine") {
  Recipe recipe = mixture("mixtral-8x7b", 1, 8, 1);
  const auto beside_rows = [&](TokenDispatcher dispatcher) {
    recipe.moe.moe_token_dispatcher_type = dispatcher;
    double bytes = -1;
    for (const Block& block : blocks_of(recipe, layers_of(recipe), Part::layer, 0)) {
      for (const Operator& op : block.branch) {
        if (op.module == "combine") bytes = op.backward_bytes - op.output_bytes;
      }
    }
    return bytes;
  };
  CHECK(beside_rows(TokenDispatcher::alltoall) == 0);
  CHECK(beside_rows(TokenDispatcher::flex) == 0);
  CHECK(beside_rows(TokenDispatcher::allgather) ==
        2.0 * 4096 * 8 * ExpertShape(RankShape(recipe)).tokens);
}

TEST_CASE("a token goes once to each place that has one of its experts") {
  // deepseek-ai/DeepEP's case: 8 of 256 experts.
  CHECK(distinct_places({256, 8}, 2) == doctest::Approx(1.99).epsilon(0.005));
  CHECK(distinct_places({256, 8}, 8) == doctest::Approx(5.29).epsilon(0.005));
  CHECK(distinct_places({256, 8}, 64) == doctest::Approx(7.68).epsilon(0.005));
  CHECK(distinct_places({8, 8}, 8) == doctest::Approx(8));
  CHECK(distinct_places({8, 1}, 8) == doctest::Approx(1));
  CHECK(distinct_places({8, 2}, 1) == doctest::Approx(1));
  // DeepSeek-V3 sends a token to four nodes at most.
  CHECK(distinct_places({256, 8, 8, 4}, 8) < 4);
  CHECK(distinct_places({256, 8, 8, 1}, 8) == doctest::Approx(1));
  CHECK(distinct_places({256, 8, 8, 8}, 8) == distinct_places({256, 8}, 8));
  CHECK(distinct_places({256, 8, 8, 4}, 3) == distinct_places({256, 8}, 3));
}

TEST_CASE("an exchange library moves fewer bytes than an all-to-all of rows, and fewer over NICs") {
  const ClusterSpec cluster = load_cluster(data_folder(), "dgx-superpod-h100", 8, {});
  ExpertExchange exchange{4096, 2.0 * 7168, {256, 8}, 0, 1};
  GroupLayout layout;
  layout.ranks = 8;
  layout.fewest_per_domain = 8;
  const ExchangeLibraryRow& deepep = row_of(ExchangeLibrary::deepep);
  const TransferCost inside = plan_expert_exchange(deepep, exchange, layout, cluster);
  CHECK(static_cast<double>(inside.wire.value()) ==
        doctest::Approx(5.29 * 4096 * 14336).epsilon(0.005));
  CHECK(inside.load.nic == 0);
  layout.ranks = 64;
  layout.domains = 8;
  const TransferCost across = plan_expert_exchange(deepep, exchange, layout, cluster);
  CHECK(static_cast<double>(across.wire.value()) ==
        doctest::Approx(5.29 * 7 / 8 * 4096 * 14336).epsilon(0.005));
  CHECK(across.alone() > inside.alone());
  exchange.imbalance = 1.5;
  const TransferCost uneven = plan_expert_exchange(deepep, exchange, layout, cluster);
  CHECK(to_seconds(uneven.alone() - uneven.latency) ==
        doctest::Approx(1.5 * to_seconds(across.alone() - across.latency)).epsilon(1e-4));
}

}  // namespace simtrain::testing::experts_test
