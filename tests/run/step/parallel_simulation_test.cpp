// Many plans at a time with shared clusters and data: the same reports as one after another.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/core/threads/parallel_each.h"
#include "sim/run/simulate.h"
#include "tests/core/checkout.h"
#include "tests/core/sanitized.h"
#include "tests/run/report_text.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::parallel_simulation_test {

namespace {

std::vector<std::vector<std::string>> many_plans() {
  std::vector<std::vector<std::string>> plans;
  for (const int nodes : {64, 128}) {
    for (const int tp : {4, 8}) {
      for (const int pp : {8, 16}) {
        for (const int vp : {1, 4}) {
          plans.push_back({fmt::format("nodes={}", nodes), fmt::format("gbs={}", nodes * 4),
                           fmt::format("tp={}", tp), fmt::format("pp={}", pp),
                           fmt::format("vp={}", vp)});
        }
      }
    }
  }
  plans.push_back({"cluster.name=fat-tree-h100-2to1", "nodes=16", "gbs=64"});
  plans.push_back({"cluster.placement={kind: random, seed: 3}", "cluster.available_nodes=128"});
  return plans;
}

std::string simulated(const ScenarioSource& source, const DataFolder& data,
                      const std::vector<std::string>& plan, ClusterCache* clusters) {
  std::vector<Setting> settings;
  settings.reserve(plan.size());
  for (const std::string& text : plan) settings.push_back(parse_setting(text));
  return testing::text_of(simulate(source.scenario(data, "bf16-512", settings), {false, clusters}));
}

}  // namespace

TEST_CASE("threads that share clusters and data give the reports of one thread without") {
  const auto source = ScenarioSource::from_file(simtrain::testing::source_dir() +
                                                "/scenarios/llama31_405b_h100.yaml");
  const std::vector<std::vector<std::string>> plans = testing::thinned(many_plans());
  std::vector<std::string> expected;
  expected.reserve(plans.size());
  for (const auto& plan : plans)
    expected.push_back(on_one_core([&] {
      return simulated(source, DataFolder(simtrain::testing::source_dir()), plan, nullptr);
    }));

  const DataFolder data(simtrain::testing::source_dir());
  ClusterCache clusters(3);
  constexpr std::size_t kRounds = 2;
  std::vector<std::string> found(kRounds * plans.size());
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (std::size_t at = next++; at < found.size(); at = next++)
        found[at] = simulated(source, data, plans[at % plans.size()], &clusters);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("plan ", i % plans.size());
    CHECK(found[i] == expected[i % plans.size()]);
  }
}

}  // namespace simtrain::testing::parallel_simulation_test
