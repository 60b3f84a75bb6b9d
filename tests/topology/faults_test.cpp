#include "sim/topology/faults.h"

#include <doctest/doctest.h>

#include "sim/topology/cluster.h"
#include "tests/core/error_of.h"
#include "tests/topology/clusters.h"

namespace simtrain::testing::faults_test {

namespace {

const SourcePlace kPlace{"s.yaml", 7, 3};

ClusterFaults nic_fault(std::optional<std::string> host, int nic, double share) {
  ClusterFaults faults;
  faults.nics.push_back({std::move(host), nic, share, kPlace});
  return faults;
}

ClusterFaults link_fault(const std::string& from, const std::string& to, double share) {
  ClusterFaults faults;
  faults.links.push_back({from, to, share, kPlace});
  return faults;
}

Cluster broken(ClusterSpec spec, const ClusterFaults& faults) {
  spec.faults = faults;
  return Cluster(std::move(spec));
}

std::string refused(const ClusterSpec& spec, const ClusterFaults& faults) {
  return error_of([&] { static_cast<void>(broken(spec, faults)); });
}

}  // namespace

TEST_CASE("a slow NIC has its share of the bandwidth left, both ways") {
  const Cluster c = broken(small_spec(), nic_fault("node0", 1, 0.25));
  CHECK(c.usable_nic_bandwidth(0) == Bandwidth(1e9));
  CHECK(c.usable_nic_bandwidth(1) == Bandwidth(0.25e9));
  const std::vector<double> capacities = c.capacities();
  int slow = 0;
  for (const double capacity : capacities) slow += capacity == 0.25e9 ? 1 : 0;
  CHECK(slow == 4);  // GPU and NIC, NIC and leaf
  CHECK(c.inner_links_never_bind());
}

TEST_CASE("a slow rail is slow in every host") {
  const Cluster c = broken(small_spec(), nic_fault(std::nullopt, 0, 0.5));
  for (const int gpu : {0, 2}) CHECK(c.usable_nic_bandwidth(gpu) == Bandwidth(0.5e9));
  for (const int gpu : {1, 3}) CHECK(c.usable_nic_bandwidth(gpu) == Bandwidth(1e9));
}

TEST_CASE("the GPU of a NIC that is down uses the next one of its host") {
  const Cluster c = broken(small_spec(), nic_fault("node0", 1, 0));
  CHECK(c.nic_of(0) == 0);
  CHECK(c.nic_of(1) == 0);  // after the last comes the first
  CHECK(c.nic_of(3) == 3);
  // No GPU of node0 is on rail 1 now: over NIC 0, its leaf, a spine and the leaf of rail 1.
  CHECK(c.exit_gpu(1, 3) == 1);
  CHECK(c.distance(1, 3) == Distance::fabric);
  const std::vector<double> capacities = c.capacities();
  for (const LinkShare& use : c.route(1, 3).links) {
    CHECK(capacities[static_cast<std::size_t>(use.link)] > 0);
  }
}

TEST_CASE("rails that lost a NIC climb to spines, which then may bind") {
  ClusterSpec spec = small_spec();
  spec.fabric.nodes_per_unit.value = 2;
  spec.fabric.oversubscription.value = 2;
  CHECK(Cluster(spec).inner_links_never_bind());
  CHECK_FALSE(broken(spec, nic_fault("node0", 1, 0)).inner_links_never_bind());
}

TEST_CASE("traffic goes around a link that is down") {
  const ClusterSpec spec = cluster("dgx-superpod-h100", 64).spec();
  const Cluster c = broken(spec, link_fault("leaf0.0", "spine3", 0));
  CHECK_FALSE(c.inner_links_never_bind());
  const std::vector<double> capacities = c.capacities();
  int sevenths = 0;
  for (const LinkShare& use : c.route(0, 8 * 40).links) {
    CHECK(capacities[static_cast<std::size_t>(use.link)] > 0);
    sevenths += use.share == doctest::Approx(1.0 / 7) ? 1 : 0;
  }
  CHECK(sevenths == 14);                                 // 7 of 8 spines, up and down
  CHECK(c.route(1, 8 * 40 + 1).links.size() == 4 + 16);  // another rail
}

TEST_CASE("a slow link between switches keeps its ways") {
  const ClusterSpec spec = cluster("dgx-superpod-h100", 64).spec();
  const Cluster c = broken(spec, link_fault("spine3", "leaf0.0", 0.5));
  CHECK(c.route(0, 8 * 40).links.size() == 4 + 16);
  int slow = 0;
  for (const double capacity : c.capacities()) slow += capacity == 32 * 50e9 / 8 / 2 ? 1 : 0;
  CHECK(slow == 2);
}

TEST_CASE("a slow GPU is given by the name of its host or by its number") {
  ClusterFaults faults;
  faults.gpus = {{"node1", 0, 1.5, kPlace}, {"0", 1, 2, kPlace}};
  const Cluster c = broken(small_spec(), faults);
  CHECK(c.slowdown(0) == 1);
  CHECK(c.slowdown(1) == 2);
  CHECK(c.slowdown(2) == 1.5);
  CHECK(c.slowdown(3) == 1);
}

TEST_CASE("slow GPUs that do not exist or are given twice are refused") {
  const auto refused_gpus = [](std::vector<SlowGpu> gpus) {
    ClusterFaults faults;
    faults.gpus = std::move(gpus);
    return refused(small_spec(), faults);
  };
  CHECK(refused_gpus({{"2", 0, 2, kPlace}}) ==
        "s.yaml:7:3: cluster.faults.gpus[0].host: '2' is no host of this cluster; known are node0, "
        "node1");
  CHECK(refused_gpus({{"node1", 2, 2, kPlace}}) ==
        "s.yaml:7:3: cluster.faults.gpus[0].gpu: node1 has no GPU 2; they count from 0");
  CHECK(refused_gpus({{"node1", 1, 2, kPlace}, {"1", 1, 3, kPlace}}) ==
        "s.yaml:7:3: cluster.faults.gpus[1]: GPU 1 of node1 is given twice");
}

TEST_CASE("faults of what does not exist are refused") {
  const ClusterSpec spec = small_spec();
  CHECK(refused(spec, nic_fault("node2", 0, 0)) ==
        "s.yaml:7:3: cluster.faults.nics[0].host: 'node2' is no host of this cluster; did you mean "
        "'node0'?");
  CHECK(refused(spec, nic_fault("node0", 2, 0)) ==
        "s.yaml:7:3: cluster.faults.nics[0].nic: node0 has no NIC 2; they count from 0");
  CHECK(refused(spec, nic_fault(std::nullopt, 9, 0)) ==
        "s.yaml:7:3: cluster.faults.nics[0].nic: any host has no NIC 9; they count from 0");
  CHECK(refused(spec, link_fault("leaf0.0", "spine1", 0)) ==
        "s.yaml:7:3: cluster.faults.links[0].to: 'spine1' is no switch of this cluster; did you "
        "mean 'spine0'?");
  CHECK(refused(spec, link_fault("leaf0.0", "leaf0.1", 0)) ==
        "s.yaml:7:3: cluster.faults.links[0]: no link joins leaf0.0 and leaf0.1");
}

TEST_CASE("faults that part hosts are refused") {
  ClusterFaults both = nic_fault("node1", 0, 0);
  both.nics.push_back({"node1", 1, 0, kPlace});
  CHECK(refused(small_spec(), both) ==
        "s.yaml:7:3: cluster.faults.nics: leave node1 without any NIC");
  ClusterSpec alone = small_spec();
  alone.nodes = 1;
  both.nics[0].host = both.nics[1].host = "node0";
  CHECK(broken(alone, both).route(0, 1).links.size() == 4);  // over NVLink
  CHECK(refused(small_spec(), link_fault("leaf1.0", "spine0", 0)) ==
        "s.yaml:7:3: cluster.faults.links: leave no way from leaf0.0 to leaf1.0");
}

}  // namespace simtrain::testing::faults_test
