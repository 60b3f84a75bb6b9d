// What a placement does to the hops of a job, counted by hand.
#include <doctest/doctest.h>

#include "tests/run/scenarios.h"

namespace simtrain::testing::placement_figures_test {

namespace {

PlacementFigures figures(const std::string& file, const std::string& row,
                         const std::vector<std::string>& settings) {
  return simulate(scenario(file, row, settings)).placement;
}

std::array<std::int64_t, kDistances> hops(const PlacementFigures& figures,
                                          const std::string& group) {
  for (const HopRow& row : figures.hops) {
    if (row.group == group) return row.hops;
  }
  return {};
}

std::int64_t count(const PlacementFigures& figures, const std::string& group, Distance distance) {
  return hops(figures, group)[static_cast<std::size_t>(distance)];
}

}  // namespace

// Llama 3.1 8B on 32 GPUs: TP1 CP2 DP16, four nodes of one unit of 32. Each of the 16 context rings
// has two hops inside a node; the one data ring leaves a node four times in its 32 hops.
TEST_CASE("hops of a compact job inside a unit") {
  const PlacementFigures compact = figures("llama31_8b_h100", "bf16-32", {});
  CHECK(compact.nodes == 4);
  CHECK(compact.available_nodes == 4);
  CHECK(count(compact, "cp", Distance::nvlink_domain) == 32);
  CHECK(count(compact, "cp", Distance::unit) == 0);
  CHECK(count(compact, "dp", Distance::nvlink_domain) == 28);
  CHECK(count(compact, "dp", Distance::unit) == 4);
  CHECK(hops(compact, "tp") == std::array<std::int64_t, kDistances>{});
  CHECK(hops(compact, "pp") == std::array<std::int64_t, kDistances>{});
}

// Two units of 32 nodes: every other node of the data ring is in the other unit.
TEST_CASE("spread moves the hops between nodes to the fabric") {
  const PlacementFigures spread = figures(
      "llama31_8b_h100", "bf16-32", {"cluster.available_nodes=64", "cluster.placement=spread"});
  CHECK(spread.kind == "spread");
  CHECK(spread.available_nodes == 64);
  CHECK(count(spread, "dp", Distance::nvlink_domain) == 28);
  CHECK(count(spread, "dp", Distance::unit) == 0);
  CHECK(count(spread, "dp", Distance::fabric) == 4);
}

// Rank r on host r mod 4: neighbours of every ring are on different nodes.
TEST_CASE("ranks dealt round-robin over the hosts take every ring to the network") {
  const PlacementFigures dealt =
      figures("llama31_8b_h100", "bf16-32", {"cluster.rank_order=round-robin"});
  CHECK(count(dealt, "cp", Distance::nvlink_domain) == 0);
  CHECK(count(dealt, "cp", Distance::unit) == 32);
  CHECK(count(dealt, "dp", Distance::unit) == 32);
}

TEST_CASE("round-robin ranks make a slower step, more available nodes alone none") {
  const double by_host = simulate(scenario("llama31_8b_h100", "bf16-32")).step_time_s;
  CHECK(simulate(scenario("llama31_8b_h100", "bf16-32", {"cluster.rank_order=round-robin"}))
            .step_time_s > by_host);
  CHECK(simulate(scenario("llama31_8b_h100", "bf16-32", {"cluster.available_nodes=64"}))
            .step_time_s == by_host);
}

// A fat fabric never binds; the busiest link is printed where it can.
TEST_CASE("the busiest link between switches is named where such links can bind") {
  Scenario narrow = scenario("llama31_8b_h100", "bf16-32",
                             {"cluster.available_nodes=64", "cluster.placement=spread"});
  CHECK(!simulate(narrow).placement.busiest_link);
  narrow.cluster.fabric.oversubscription.value = 4;
  const auto busiest = simulate(narrow).placement.busiest_link;
  REQUIRE(busiest);
  CHECK(busiest->name.find("leaf") != std::string::npos);
  CHECK(busiest->load > 0);
  CHECK(busiest->load <= 1);
}

// TP 4: dealt round eight hosts, each of the four is alone in its NVLink domain, so that user
// buffers go at the NIC's 48.5 GB/s instead of the copy engine's rate.
TEST_CASE("tensor parallelism over the network takes longer") {
  const auto step = [](const std::string& order) {
    return simulate(
               scenario("llama31_70b_h100", "bf16-64", {"gbs=16", "cluster.rank_order=" + order}))
        .step_time_s;
  };
  CHECK(step("round-robin") > 1.3 * step("by-host"));
}

}  // namespace simtrain::testing::placement_figures_test
