#include "sim/job/checkpoint/network_use.h"

#include <doctest/doctest.h>

#include "sim/topology/cluster.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::network_use_test {
namespace {

/// 64 nodes in order, 8 to a leaf, on a fabric of two levels.
Scenario on(const std::string& cluster) {
  Scenario job = scenario("llama31_405b_h100", "bf16-512");
  job.cluster = load_cluster(data_folder(), cluster, 64, {});
  return job;
}

double nics_of_node(const Scenario& job) {
  return job.cluster.usable_nic_bandwidth().value() * job.cluster.node.nics.value;
}

/// Cables from one leaf switch upward over those downward.
double upward(const Scenario& job) { return 1 / job.cluster.fabric.oversubscription.value; }

TEST_CASE("A storage on other networks takes nothing, nor does a node alone") {
  Scenario job = on("fat-tree-h100-2to1");
  CHECK_FALSE(network_use(job, {StorageScope::shared, 0, 64}).takes());
  job.placement.nodes = 1;
  const NetworkUse alone = network_use(job, {StorageScope::node, 1e10, 1});
  CHECK_FALSE(alone.takes());
  CHECK(alone.slowed == 1);
}

TEST_CASE("Where links between switches never bind, NICs alone are shared") {
  const Scenario job = on("dgx-superpod-h100");
  const double rate = 0.3 * nics_of_node(job);
  const NetworkUse use = network_use(job, {StorageScope::shared, rate, 64});
  CHECK(use.most_of_nic == doctest::Approx(0.3));
  CHECK(use.left.links.empty());
  REQUIRE(use.left.nics.size() == 8);
  for (const NicFault& nic : use.left.nics) CHECK(nic.bandwidth_share == doctest::Approx(0.7));
}

TEST_CASE("Links between switches carry what leaves a leaf") {
  Scenario job = on("fat-tree-h100-2to1");
  job.cluster.fabric.routing.value = Routing::adaptive;
  const int below = job.cluster.fabric.nodes_per_unit.value;
  // A link between switches has the line rate, a NIC what large flows reach of it.
  const double line = job.cluster.fabric.link_efficiency.value;
  const double rate = 0.2 * nics_of_node(job);
  const NetworkUse shared = network_use(job, {StorageScope::shared, rate, 64});
  CHECK(shared.most_of_nic == doctest::Approx(0.2));
  CHECK(shared.most_of_link == doctest::Approx(0.2 * line / upward(job)));
  // One node of each leaf has its peer below another.
  const NetworkUse peers = network_use(job, {StorageScope::node, rate, 64});
  CHECK(peers.most_of_link == doctest::Approx(0.2 * line / upward(job) / below));
  for (const LinkFault& link : peers.left.links)
    CHECK(link.bandwidth_share == doctest::Approx(1 - peers.most_of_link));
  const Cluster cluster(job.cluster);
  ClusterSpec weakened = job.cluster;
  weakened.faults = shared.left;
  CHECK_NOTHROW(Cluster{weakened});
}

TEST_CASE("What no link can carry takes longer") {
  Scenario job = on("fat-tree-h100-2to1");
  job.cluster.fabric.routing.value = Routing::adaptive;
  const NetworkUse use = network_use(job, {StorageScope::shared, nics_of_node(job), 64});
  CHECK(use.most_of_link == doctest::Approx(0.9));
  const double line = job.cluster.fabric.link_efficiency.value;
  CHECK(use.slowed == doctest::Approx(line / upward(job) / 0.9));
  CHECK(use.most_of_nic == doctest::Approx(1 / use.slowed));
}

TEST_CASE("One replica that writes loads links by its nodes") {
  Scenario job = on("fat-tree-h100-2to1");
  job.cluster.fabric.routing.value = Routing::adaptive;
  const double rate = 0.2 * nics_of_node(job);
  const NetworkUse all = network_use(job, {StorageScope::shared, rate, 64});
  const NetworkUse one = network_use(job, {StorageScope::shared, rate, 16});
  CHECK(one.most_of_nic == doctest::Approx(all.most_of_nic));
  CHECK(one.most_of_link == doctest::Approx(all.most_of_link / 4));
}

}  // namespace
}  // namespace simtrain::testing::network_use_test
