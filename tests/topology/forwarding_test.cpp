#include "sim/topology/graph/forwarding.h"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

#include "sim/topology/graph/cluster_graph.h"
#include "tests/topology/clusters.h"

namespace simtrain::testing::forwarding_test {

namespace {

std::vector<std::size_t> switches(const ClusterGraph& graph) {
  std::vector<std::size_t> found;
  for (std::size_t vertex = 0; vertex < graph.devices.size(); ++vertex) {
    if (graph[vertex].kind >= VertexKind::leaf) found.push_back(vertex);
  }
  return found;
}

bool same_hops(const NextHops& a, const NextHops& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].link != b[i].link || a[i].to != b[i].to) return false;
  }
  return true;
}

/// Every `stride`-th leaf as the goal, from all switches.
void check_shape(const Cluster& c, std::size_t stride = 1) {
  const ClusterGraph& graph = c.graph();
  const LinksByVertex links(graph);
  const std::vector<std::size_t> all = switches(graph);
  const auto tables = forwarding_tables(graph, links, all.front());
  std::size_t goals = 0;
  for (const std::size_t leaf : all) {
    if (graph[leaf].kind != VertexKind::leaf || goals++ % stride != 0) continue;
    for (const std::size_t from : all) {
      CAPTURE(graph[from].name);
      CAPTURE(graph[leaf].name);
      REQUIRE(c.forwarding().reaches(from, leaf) == tables->reaches(from, leaf));
      if (!tables->reaches(from, leaf)) continue;
      REQUIRE(c.forwarding().hops(from, leaf) == tables->hops(from, leaf));
      REQUIRE(c.forwarding().latency(from, leaf) == tables->latency(from, leaf));
      if (from != leaf)
        REQUIRE(same_hops(c.forwarding().next(from, leaf), tables->next(from, leaf)));
    }
  }
}

ClusterSpec random_spec(std::mt19937_64& random) {
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  ClusterSpec spec = small_spec();
  spec.node.gpus = 1 + below(8);
  spec.node.nics.value = 1 + below(spec.node.gpus);
  spec.node.nvlink_domain_nodes.value = 1 + below(3);
  spec.nodes = 1 + below(40);
  FabricSpec& fabric = spec.fabric;
  fabric.wiring = below(2) == 0 ? Wiring::fat_tree : Wiring::rail_optimized;
  fabric.routing.value = below(2) == 0 ? Routing::ecmp : Routing::ideal;
  fabric.nodes_per_unit.value = 1 + below(9);
  fabric.oversubscription.value = below(3) == 0 ? 2.0 : 1.0;
  fabric.core_oversubscription.value = below(3) == 0 ? 4.0 : 1.0;
  fabric.switch_latency.value = Duration(below(3) * 100);
  if (below(2) == 0)
    fabric.nodes_per_block = Sourced<int>{fabric.nodes_per_unit.value * (1 + below(4)), "drawn"};
  return spec;
}

}  // namespace

TEST_CASE("regular fabrics forward by their shape as the tables of their graphs say") {
  std::mt19937_64 random(21);
  for (int i = 0; i < 120; ++i) {
    CAPTURE(i);
    check_shape(Cluster(random_spec(random)));
  }
}

TEST_CASE("fabrics of the source tree forward by their shape as their tables say") {
  check_shape(cluster("dgx-superpod-b200", 512), 17);
  check_shape(cluster("clos-h100-4to1", 384), 13);
  check_shape(cluster("fat-tree-h100-2to1", 48));
  check_shape(cluster("gcp-a4", 100), 3);
}

TEST_CASE("where a link between switches is weakened, the graph itself is asked") {
  ClusterSpec spec = small_spec();
  spec.nodes = 6;
  spec.node.gpus = 4;
  spec.node.nics.value = 4;
  spec.fabric.nodes_per_unit.value = 2;
  spec.fabric.wiring = Wiring::fat_tree;
  spec.fabric.routing.value = Routing::ecmp;
  LinkFault cut;
  cut.from = "leaf0";
  cut.to = "spine0";
  cut.bandwidth_share = 0;
  spec.nodes = 64;  // several spines
  spec.faults.links.push_back(cut);
  const Cluster c(spec);
  check_shape(c);
  const std::vector<std::size_t> all = switches(c.graph());
  const auto find = [&](const std::string& name) {
    return *std::find_if(all.begin(), all.end(),
                         [&](std::size_t vertex) { return c.graph()[vertex].name == name; });
  };
  const NextHops next = c.forwarding().next(find("leaf0"), find("leaf1"));
  REQUIRE(next.size() > 0);
  for (std::size_t i = 0; i < next.size(); ++i) CHECK(next[i].to != find("spine0"));
}

}  // namespace simtrain::testing::forwarding_test
