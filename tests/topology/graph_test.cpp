#include <doctest/doctest.h>

#include "sim/topology/cluster.h"
#include "sim/topology/graph/cluster_graph.h"
#include "tests/topology/clusters.h"

namespace simtrain::testing::graph_test {

namespace {

/// Host x of two GPUs and NICs on leaf0, host y of four GPUs and two NICs on leaf1, both leaves on
/// a spine by cables of 3 and 1 GB/s.
ClusterSpec uneven_spec() {
  ClusterSpec spec = small_spec();
  NodeSpec large = spec.node;
  large.gpus = 4;
  spec.graph.emplace();
  spec.graph->hosts = {{"x", "small", 1, {}, spec.node}, {"y", "large", 1, {}, large}};
  spec.graph->switches = {{"leaf0", {}}, {"leaf1", {}}, {"top", {}}};
  const Duration near = std::chrono::nanoseconds(100);
  const Duration far = std::chrono::nanoseconds(300);
  spec.graph->links = {{"x", "leaf0", Bandwidth(2e9), near, std::nullopt, {}},
                       {"leaf1", "y", Bandwidth(1e9), near, std::nullopt, {}},
                       {"leaf0", "top", Bandwidth(3e9), far, std::nullopt, {}},
                       {"leaf1", "top", Bandwidth(1e9), near, std::nullopt, {}}};
  return spec;
}

}  // namespace

TEST_CASE("a graph of unlike hosts is numbered host after host") {
  const Cluster c(uneven_spec());
  CHECK(c.gpus() == 6);
  CHECK(c.spec().gpus() == 6);
  CHECK(c.nics() == 4);
  CHECK(c.hosts()[1].name == "y");
  CHECK(c.hosts()[1].first_gpu == 2);
  CHECK(c.hosts()[1].first_nic == 2);
  for (const auto& [gpu, nic] : {std::pair{0, 0}, std::pair{1, 1}, std::pair{2, 2}, std::pair{3, 2},
                                 std::pair{4, 3}, std::pair{5, 3}}) {
    CHECK(c.nic_of(gpu) == nic);
  }
  CHECK_FALSE(c.inner_links_never_bind());
}

TEST_CASE("ways through a graph are as long and as wide as its links") {
  const Cluster c(uneven_spec());
  CHECK(c.distance(2, 5) == Distance::nvlink_domain);
  CHECK(c.distance(0, 2) == Distance::fabric);
  CHECK(c.far_latency(0, 2) == Duration(400'000));
  CHECK(c.far_latency(2, 0) == Duration(400'000));
  const Route route = c.route(0, 5);
  CHECK(route.latency == Duration(2 * 100'000 + 400'000 + 2));
  CHECK(route.links.size() == 6);
  const std::vector<double> capacities = c.capacities();
  std::vector<double> widths;
  for (const LinkShare& use : route.links) {
    CHECK(use.share == 1);
    widths.push_back(capacities[static_cast<std::size_t>(use.link)]);
  }
  // Half of a NIC's 2 GB/s can be used, and half of the 1 GB/s cable to y.
  CHECK(widths == std::vector<double>{1e9, 1e9, 3e9, 1e9, 0.5e9, 1e9});
  CHECK(c.usable_nic_bandwidth(0) == Bandwidth(1e9));
  CHECK(c.usable_nic_bandwidth(5) == Bandwidth(0.5e9));
}

TEST_CASE("switches are leaves, spines or cores by what hangs on them") {
  const Cluster c(uneven_spec());
  for (const Device& device : c.graph().devices) {
    if (device.name == "leaf0" || device.name == "leaf1") CHECK(device.kind == VertexKind::leaf);
    if (device.name == "top") CHECK(device.kind == VertexKind::spine);
  }
}

TEST_CASE("equally short ways of a graph share traffic") {
  ClusterSpec spec = uneven_spec();
  spec.graph->links.push_back(spec.graph->links[2]);  // a second cable from leaf0 to the top
  const Cluster c(spec);
  int halves = 0;
  for (const LinkShare& use : c.route(0, 2).links) halves += use.share == 0.5 ? 1 : 0;
  CHECK(halves == 2);
}

TEST_CASE("the uneven lab of the house: PXN leaves by a NIC on the target's leaf") {
  const Cluster c = cluster("lab-uneven", 3);
  CHECK(c.gpus() == 24);
  CHECK(c.nics() == 20);
  CHECK(c.hosts()[0].name == "a0");
  CHECK(c.hosts()[0].unit == c.hosts()[2].unit);
  CHECK(c.nic_of(16) == 16);
  CHECK(c.nic_of(23) == 19);
  CHECK(c.distance(0, 8) == Distance::unit);
  CHECK(c.exit_gpu(0, 23) == 4);
  CHECK(c.distance(0, 23) == Distance::unit);
  CHECK(c.route(0, 23).latency == c.spec().gpu.nvlink.switch_latency.value + Duration(900'002));
  CHECK(cluster("lab-uneven", 2).gpus() == 16);
}

TEST_CASE("a cluster names its nodes and its wiring") {
  const Cluster lab = cluster("lab-uneven", 3);
  CHECK(lab.spec().nodes_text() == "2 x hgx-h100, 1 x hgx-h100-4nic");
  CHECK(lab.spec().wiring_text() == "own graph");
  const Cluster a4 = cluster("gcp-a4", 28);
  CHECK(a4.spec().nodes_text() == "28 x hgx-b200");
  CHECK(a4.spec().wiring_text() == "rail-optimized");
}

}  // namespace simtrain::testing::graph_test
