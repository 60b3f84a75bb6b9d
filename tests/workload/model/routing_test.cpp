// Where tokens go: laws and histograms of loads, and how far the busiest rank is above the mean.
#include "sim/workload/model/operators/experts/routing.h"

#include <algorithm>
#include <numeric>
#include <random>

#include <doctest/doctest.h>

#include "sim/workload/model/layers/model_parts.h"
#include "sim/workload/model/operators/experts/expert_shape.h"
#include "sim/workload/parallel/largest_of_normals.h"
#include "tests/workload/recipes.h"

namespace simtrain::testing::routing_test {

namespace {

ExpertsSpec experts(int number, int topk) {
  ExpertsSpec spec;
  spec.num_moe_experts = number;
  spec.moe_router_topk = topk;
  return spec;
}

MoeSpec by_law(RoutingLaw law, std::optional<double> exponent = {}, std::optional<int> seed = {}) {
  MoeSpec moe;
  moe.routing = RoutingSpec{};
  moe.routing->law = law;
  moe.routing->exponent = exponent;
  moe.routing->seed = seed;
  return moe;
}

MoeSpec by_loads(std::vector<std::vector<double>> loads) {
  MoeSpec moe;
  moe.routing = RoutingSpec{};
  moe.routing->loads = std::move(loads);
  return moe;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Mean over draws of the busiest rank's rows over their mean, one expert a token.
double drawn(const std::vector<double>& shares, int tokens, int ranks, std::mt19937& random) {
  std::discrete_distribution<std::size_t> choose(shares.begin(), shares.end());
  constexpr int kRepeats = 60;
  double all = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    std::vector<int> rows(static_cast<std::size_t>(ranks));
    for (int token = 0; token < tokens; ++token)
      ++rows[choose(random) * static_cast<std::size_t>(ranks) / shares.size()];
    all += *std::max_element(rows.begin(), rows.end()) * static_cast<double>(ranks) / tokens;
  }
  return all / kRepeats;
}

}  // namespace

TEST_CASE("without a word, and by the law of it, routing is random") {
  for (const int ep : {1, 8, 64}) {
    const double random = random_imbalance({256, 8}, 4096.0 * ep, ep);
    CHECK(expected_imbalance({}, experts(256, 8), 4096, ep) == random);
    CHECK(expected_imbalance(by_law(RoutingLaw::random), experts(256, 8), 4096, ep) == random);
    CHECK(expected_imbalance(by_law(RoutingLaw::balanced), experts(256, 8), 4096, ep) == 1);
  }
}

TEST_CASE("a flat histogram is random routing, in any unit") {
  for (const double unit : {1.0, 1e6}) {
    const MoeSpec flat = by_loads({std::vector<double>(128, unit)});
    CHECK(expected_imbalance(flat, experts(128, 8), 4096, 16) ==
          doctest::Approx(random_imbalance({128, 8}, 4096 * 16, 16)).epsilon(0.001));
  }
}

TEST_CASE("the expected imbalance of a histogram is that of draws") {
  std::mt19937 random(11);
  for (const int ranks : {2, 4, 8, 16}) {
    for (int i = 0; i < 4; ++i) {
      std::vector<double> loads(32);
      for (double& load : loads) load = 1 + (i == 0 ? 0 : static_cast<double>(random() % 100) / 40);
      const std::vector<double> shares = expert_shares(loads, 1);
      CAPTURE(ranks);
      CHECK(skewed_imbalance(shares, 2000, 1, ranks) ==
            doctest::Approx(drawn(shares, 2000, ranks, random)).epsilon(0.02));
    }
  }
}

TEST_CASE("each layer waits for its own busiest rank: their mean counts, not that of the sum") {
  std::vector<double> left(8, 1);
  std::vector<double> right(8, 1);
  left.front() = 3;
  right.back() = 3;
  const ExpertsSpec spec = experts(8, 1);
  const double one = expected_imbalance(by_loads({left}), spec, 65536, 8);
  CHECK(one == doctest::Approx(3.0 * 8 / 10).epsilon(0.001));
  CHECK(expected_imbalance(by_loads({left, right}), spec, 65536, 8) == doctest::Approx(one));
  CHECK(expected_imbalance(by_loads({left, std::vector<double>(8, 1)}), spec, 65536, 8) < one);
}

TEST_CASE("no expert has more than one row of each token") {
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    std::vector<double> loads(1 + random() % 64);
    for (double& load : loads) load = std::max(0.0, static_cast<double>(random() % 200) - 100);
    loads[random() % loads.size()] = 1000;
    const auto topk = static_cast<std::int64_t>(1 + random() % loads.size());
    const std::vector<double> shares = expert_shares(loads, topk);
    CAPTURE(topk);
    CHECK(sum(shares) == doctest::Approx(1));
    CHECK(*std::max_element(shares.begin(), shares.end()) <=
          1.0 / static_cast<double>(topk) + 1e-9);
    CHECK(*std::min_element(shares.begin(), shares.end()) >= 0);
  }
  CHECK(expert_shares({1, 0, 0, 0}, 2) == std::vector<double>{0.5, 1.0 / 6, 1.0 / 6, 1.0 / 6});
}

TEST_CASE("loads by a power law make the imbalance that sampling that law makes") {
  // Of 256 experts, 8 a token: reference/moe.md, over 4,096 to 16,384 tokens.
  struct Known {
    double exponent;
    int ep;
    double ratio;
  };
  for (const Known& row :
       {Known{0.6, 8, 1.25}, Known{0.6, 16, 1.5}, Known{0.6, 32, 1.8}, Known{0.6, 64, 2.3},
        Known{1.01, 8, 1.5}, Known{1.01, 16, 1.95}, Known{1.01, 32, 2.65}, Known{1.01, 64, 3.95},
        Known{1.2, 8, 1.75}, Known{1.2, 16, 2.5}, Known{1.2, 32, 3.75}, Known{1.2, 64, 6.0}}) {
    CAPTURE(row.exponent);
    CAPTURE(row.ep);
    const double ratio = expected_imbalance(by_law(RoutingLaw::power_law, row.exponent),
                                            experts(256, 8), 8192.0 / row.ep, row.ep);
    CHECK(ratio == doctest::Approx(row.ratio).epsilon(0.12));
  }
}

TEST_CASE("a seed says which experts have much, and hardly how much the busiest rank has") {
  const auto ratio = [](int seed) {
    return expected_imbalance(by_law(RoutingLaw::power_law, 1.01, seed), experts(128, 8), 512, 8);
  };
  CHECK(ratio(0) == ratio(0));
  CHECK(ratio(0) ==
        expected_imbalance(by_law(RoutingLaw::power_law, 1.01), experts(128, 8), 512, 8));
  CHECK(ratio(1) != ratio(0));
  CHECK(ratio(1) == doctest::Approx(ratio(0)).epsilon(0.1));
}

TEST_CASE("what full experts do not take is dropped") {
  const ExpertsSpec spec = experts(4, 1);
  const MoeSpec skewed = by_loads({{5, 1, 1, 1}});
  CHECK(taken_by_capacity(skewed, spec, 4096, 1) == doctest::Approx((2 + 1 + 1 + 1) / 8.0));
  CHECK(taken_by_capacity(skewed, spec, 4096, 3) == doctest::Approx(1));
  CHECK(taken_by_capacity({}, spec, 4096, 1) == 1);
  CHECK(taken_by_capacity({}, spec, 4096, 0.5) == 0.5);
  // Experts that are full have their capacity, whatever the others lack.
  const int ranks = spec.num_moe_experts;
  CHECK(imbalance_of_taken(skewed, spec, 4096, ranks, 1) *
            taken_by_capacity(skewed, spec, 4096.0 * ranks, 1) ==
        doctest::Approx(1));
  CHECK(imbalance_of_taken(skewed, spec, 4096, ranks, 100) ==
        doctest::Approx(expected_imbalance(skewed, spec, 4096, ranks)));
  CHECK(imbalance_of_taken({}, spec, 4096, ranks, 0.5) == 1);
}

TEST_CASE("the largest of unlike normal values is expected above each of them") {
  CHECK(expected_largest({{3, 0}, {1, 0}}) == 3);
  CHECK(expected_largest({{0, 1}, {0, 1}}) == doctest::Approx(0.5642).epsilon(1e-3));
  CHECK(expected_largest(std::vector<NormalOf>(8, {0, 1})) ==
        doctest::Approx(1.4236).epsilon(1e-3));
  CHECK(expected_largest({{10, 1}, {0, 1}}) == doctest::Approx(10).epsilon(1e-6));
  CHECK(expected_largest({{1, 1}, {0, 0}}) > 1);
}

TEST_CASE("the rows of a rank's experts, and what it keeps of them, follow the histogram") {
  Recipe recipe = recipe_of("mixtral-8x7b");
  recipe.parallelism.expert_model_parallel_size = 8;
  const double even = ExpertShape(RankShape(recipe)).imbalance;
  const double saved = part_totals(recipe, Part::layer).saved_bytes;
  recipe.moe = by_loads({{3, 1, 1, 1, 1, 1, 1, 1}});
  CHECK(ExpertShape(RankShape(recipe)).imbalance == doctest::Approx(2.4).epsilon(0.01));
  CHECK(even < 1.05);
  CHECK(part_totals(recipe, Part::layer).saved_bytes > 1.3 * saved);
}

}  // namespace simtrain::testing::routing_test
