#include "sim/topology/cluster_facts.h"

#include <doctest/doctest.h>

#include "tests/topology/clusters.h"
#include "tests/topology/hand_map.h"

namespace simtrain::testing::cluster_facts_test {
namespace {

const LevelBandwidth& level(const ClusterFacts& facts, VertexKind low, VertexKind high) {
  for (const LevelBandwidth& row : facts.levels) {
    if (row.low == low && row.high == high) return row;
  }
  throw std::out_of_range("no such level");
}

ClusterFacts facts_of(const Cluster& cluster) { return cluster_facts(cluster_map(cluster)); }

int cables(const ClusterFacts& facts, VertexKind low, VertexKind high) {
  int sum = 0;
  for (const CableCount& row : facts.cables) {
    if (row.low == low && row.high == high) sum += row.count;
  }
  return sum;
}

/// Four nodes of two GPUs, a unit for every two: 2 GB/s NICs that are used in full.
ClusterSpec four_nodes(double oversubscription) {
  ClusterSpec spec = small_spec();
  spec.nodes = 4;
  spec.fabric.nodes_per_unit.value = 2;
  spec.fabric.link_efficiency.value = 1;
  spec.fabric.oversubscription.value = oversubscription;
  return spec;
}

// 28 machines of 8 GPUs, 8 NICs and 2 NVSwitches; units of 16, so 2 x 8 leaves; 16 uplinks of 400
// Gb/s a leaf, 256 in all, below 64-port spines: 4. Usable NIC bandwidth 0.94 * 50 GB/s.
TEST_CASE("28 A4 machines, by hand") {
  const ClusterFacts facts = facts_of(cluster("gcp-a4", 28));
  CHECK(facts.name == "gcp-a4");
  CHECK(facts.hosts == 28);
  CHECK(facts.gpus == 224);
  CHECK(facts.nvlink_domains == 28);
  CHECK(facts.nvswitches == 56);
  CHECK(facts.nics == 224);
  CHECK(facts.leaves == 16);
  CHECK(facts.spines == 4);
  CHECK(cables(facts, VertexKind::gpu, VertexKind::nvswitch) == 448);
  CHECK(cables(facts, VertexKind::nic, VertexKind::leaf) == 224);
  CHECK(cables(facts, VertexKind::leaf, VertexKind::spine) == 64);
  CHECK(level(facts, VertexKind::gpu, VertexKind::nvswitch).per_gpu.value() ==
        doctest::Approx(900e9));
  CHECK(level(facts, VertexKind::gpu, VertexKind::nic).total.value() ==
        doctest::Approx(224 * 47e9));
  const LevelBandwidth& up = level(facts, VertexKind::leaf, VertexKind::spine);
  CHECK(up.total.value() == doctest::Approx(16 * 16 * 50e9));
  CHECK(up.oversubscription == doctest::Approx(1));  // the full unit; the other has 12 / 16
  CHECK(facts.bisection.bandwidth.value() == doctest::Approx(14 * 8 * 47e9));
  CHECK(facts.bisection.nics.value() == doctest::Approx(14 * 8 * 47e9));
}

TEST_CASE("8 racks of NVL72, by hand") {
  const ClusterFacts facts = facts_of(cluster("dgx-superpod-gb200", 144));
  CHECK(facts.gpus == 576);
  CHECK(facts.nvlink_domains == 8);
  CHECK(facts.nvswitches == 8 * 18);
  CHECK(facts.leaves == 4);
  CHECK(facts.spines == 9);  // 4 leaves of 144 uplinks on 64 ports
  CHECK(cables(facts, VertexKind::gpu, VertexKind::nvswitch) == 576 * 18);
  CHECK(facts.bisection.hosts == 72);
  CHECK(facts.bisection.bandwidth.value() == doctest::Approx(288 * 47e9));
}

// A unit's 4 NICs of 2 GB/s are 8 GB/s, its 2 leaves have 2 uplinks of 2 GB/s each: 8 GB/s. At 2 :
// 1 it is half of that.
TEST_CASE("oversubscription halves the bisection, by hand") {
  const ClusterFacts full = facts_of(Cluster(four_nodes(1)));
  CHECK(full.bisection.bandwidth == Bandwidth(8e9));
  CHECK(level(full, VertexKind::leaf, VertexKind::spine).oversubscription == doctest::Approx(1));
  const ClusterFacts half = facts_of(Cluster(four_nodes(2)));
  CHECK(half.bisection.bandwidth == Bandwidth(4e9));
  CHECK(half.bisection.nics == Bandwidth(8e9));
  CHECK(half.bisection.first_host == 0);  // from host 1 on each half has a host in both units
  CHECK(level(half, VertexKind::leaf, VertexKind::spine).oversubscription == doctest::Approx(2));
  CHECK(level(half, VertexKind::leaf, VertexKind::spine).total == Bandwidth(8e9));
  CHECK(level(half, VertexKind::leaf, VertexKind::spine).per_gpu == Bandwidth(1e9));
}

TEST_CASE("level arithmetic and max flow agree on equal units") {
  for (const double oversubscription : {1.0, 1.5, 2.0, 4.0}) {
    CAPTURE(oversubscription);
    const ClusterMap map = cluster_map(Cluster(four_nodes(oversubscription)));
    const Bisection flow = bisection(map);
    const Bisection levels = bisection(map, 0);
    CHECK(flow.method == BisectionMethod::max_flow);
    CHECK(levels.method == BisectionMethod::level_arithmetic);
    CHECK(levels.bandwidth.value() == doctest::Approx(flow.bandwidth.value()));
  }
}

TEST_CASE("hosts of one unit meet in their leaf: uplinks do not count") {
  ClusterSpec spec = four_nodes(4);
  spec.nodes = 2;
  CHECK(bisection(cluster_map(Cluster(spec))).bandwidth == Bandwidth(4e9));
  CHECK(bisection(cluster_map(Cluster(spec)), 0).bandwidth == Bandwidth(4e9));
}

TEST_CASE("one host has nothing to cut") {
  ClusterSpec spec = small_spec();
  spec.nodes = 1;
  CHECK(bisection(cluster_map(Cluster(spec))).hosts == 0);
}

TEST_CASE("an odd number of hosts is cut beside its middle") {
  ClusterSpec spec = four_nodes(1);
  spec.nodes = 3;
  const Bisection cut = bisection(cluster_map(Cluster(spec)));
  CHECK(cut.hosts == 1);
  CHECK(cut.bandwidth == Bandwidth(4e9));
}

// The halves are hosts {0, 1}, 6 GB/s of NICs, and {2, 3}, 2 GB/s: 2 GB/s of NICs receive, and the
// core has 2 GB/s for each. Hosts {1, 2} against {3, 0}: 2 GB/s from host 1 below the first leaf to
// host 0, and 1 GB/s from host 2 to host 3.
TEST_CASE("an uneven cluster with three levels, by hand") {
  const ClusterFacts facts = cluster_facts(uneven_map());
  CHECK(facts.hosts == 4);
  CHECK(facts.gpus == 8);
  CHECK(facts.leaves == 2);
  CHECK(facts.spines == 2);
  CHECK(facts.cores == 1);
  CHECK(facts.bisection.bandwidth == Bandwidth(2e9));
  CHECK(facts.bisection.first_host == 0);
  CHECK(facts.bisection.nics == Bandwidth(6e9));
  CHECK(level(facts, VertexKind::leaf, VertexKind::spine).oversubscription == doctest::Approx(2));
  CHECK(level(facts, VertexKind::spine, VertexKind::core).oversubscription == doctest::Approx(1.5));
  CHECK(level(facts, VertexKind::spine, VertexKind::core).total == Bandwidth(4e9));
}

// Each host's own leaf, cut off from all others but its neighbours in a ring of spines: the worst
// half is the one that the narrowest two cables lie around.
TEST_CASE("the worst of all contiguous halves is found, by hand") {
  HandMap hand({2, 2, 2, 2});
  std::vector<std::size_t> leaves;
  leaves.reserve(4);
  for (int unit = 0; unit < 4; ++unit) leaves.push_back(hand.add(VertexKind::leaf, unit, 0));
  for (std::size_t i = 0; i < hand.nics.size(); ++i) hand.join(hand.nics[i], leaves[i / 2], 1);
  hand.join(leaves[0], leaves[1], 0.25);
  hand.join(leaves[1], leaves[2], 1);
  hand.join(leaves[2], leaves[3], 0.5);
  hand.join(leaves[3], leaves[0], 1);
  const Bisection cut = bisection(hand.map);
  CHECK(cut.bandwidth == Bandwidth(0.75e9));  // {1, 2} against {3, 0}
  CHECK(cut.first_host == 1);
}

TEST_CASE("every cable is there once, with its lower end first") {
  const Cluster c = cluster("gcp-a4", 3);
  const ClusterMap map = cluster_map(c);
  CHECK(2 * map.cables.size() == static_cast<std::size_t>(c.links()));
  for (const Cable& cable : map.cables) CHECK(map.kind(cable.low) < map.kind(cable.high));
}

// In the small cluster a hop of the network takes 100 ns and NIC to GPU 1 ps; one spine.
TEST_CASE("a path over the network, hop by hop") {
  const Cluster c(small_spec());
  const ClusterPath path = cluster_path(c, 0, 2);
  CHECK(path.distance == Distance::fabric);
  CHECK(path.latency == c.route(0, 2).latency);
  CHECK(path.bandwidth == Bandwidth(1e9));
  REQUIRE(path.steps.size() == 6);
  CHECK(path.steps[0][0].from == "node0 GPU 0");
  CHECK(path.steps[1][0].to == "leaf0.0");
  CHECK(path.steps[2][0].to == "spine0");
  CHECK(path.steps[5][0].to == "node1 GPU 0");
  for (const auto& step : path.steps) {
    REQUIRE(step.size() == 1);
    CHECK(step[0].share == 1);
  }
}

TEST_CASE("equal ways of a path share the flow, and each step carries all of it") {
  // Over NVLink to the GPU on the target's rail (PXN), then NIC, leaf, spine, leaf, NIC.
  const ClusterPath path = cluster_path(cluster("gcp-a4", 28), 0, 130);
  REQUIRE(path.steps.size() == 8);
  CHECK(path.steps[1][0].to == "node0 GPU 2");
  CHECK(path.steps[4].size() == 4);
  CHECK(path.steps[4][3].share == doctest::Approx(0.25));
  CHECK(path.bandwidth.value() == doctest::Approx(47e9));
  for (const auto& step : path.steps) {
    double sum = 0;
    for (const PathLink& link : step) sum += link.share;
    CHECK(sum == doctest::Approx(1));
  }
}

TEST_CASE("inside a domain all planes are used, and to oneself there is no way to go") {
  const ClusterPath path = cluster_path(cluster("dgx-superpod-gb200", 18), 3, 5);
  CHECK(path.distance == Distance::nvlink_domain);
  REQUIRE(path.steps.size() == 2);
  CHECK(path.steps[0].size() == 18);
  CHECK(path.bandwidth.value() == doctest::Approx(900e9));
  const ClusterPath none = cluster_path(cluster("dgx-superpod-gb200", 18), 3, 3);
  CHECK(none.distance == Distance::same_gpu);
  CHECK(none.steps.empty());
}

}  // namespace
}  // namespace simtrain::testing::cluster_facts_test
