#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "sim/topology/cluster.h"
#include "sim/topology/graph/cluster_graph.h"
#include "tests/topology/clusters.h"

namespace simtrain::testing::route_test {

namespace {

/// A cluster whose links can be looked up by id.
struct Map {
  explicit Map(Cluster c) : cluster(std::move(c)) {}
  [[nodiscard]] std::size_t from(const LinkShare& use) const {
    return cluster.graph().from(use.link);
  }
  [[nodiscard]] std::size_t to(const LinkShare& use) const { return cluster.graph().to(use.link); }
  [[nodiscard]] VertexKind kind(std::size_t vertex) const { return cluster.graph()[vertex].kind; }

  Cluster cluster;
};

/// Share that leaves each device less the share that enters it.
std::map<std::size_t, double> surplus(const Map& map, const Route& route) {
  std::map<std::size_t, double> result;
  for (const LinkShare& use : route.links) {
    result[map.from(use)] += use.share;
    result[map.to(use)] -= use.share;
  }
  return result;
}

std::set<std::size_t> devices(const Map& map, const Route& route, VertexKind kind) {
  std::set<std::size_t> result;
  for (const LinkShare& use : route.links) {
    for (const std::size_t vertex : {map.from(use), map.to(use)}) {
      if (map.kind(vertex) == kind) result.insert(vertex);
    }
  }
  return result;
}

void check_route(const Map& map, int from, int to) {
  CAPTURE(from);
  CAPTURE(to);
  const Route route = map.cluster.route(from, to);
  double out = 0;
  double in = 0;
  std::set<int> links;
  for (const LinkShare& use : route.links) {
    REQUIRE(use.share > 0);
    REQUIRE(use.share <= 1 + 1e-12);
    REQUIRE(links.insert(use.link).second);
    if (map.from(use) == map.cluster.gpu_vertex(from)) out += use.share;
    if (map.to(use) == map.cluster.gpu_vertex(to)) in += use.share;
    REQUIRE(map.to(use) != map.cluster.gpu_vertex(from));
    REQUIRE(map.from(use) != map.cluster.gpu_vertex(to));
  }
  REQUIRE(out == doctest::Approx(1).epsilon(1e-12));
  REQUIRE(in == doctest::Approx(1).epsilon(1e-12));
  for (const auto& [vertex, rest] : surplus(map, route)) {
    const double wanted = vertex == map.cluster.gpu_vertex(from) ? 1
                          : vertex == map.cluster.gpu_vertex(to) ? -1
                                                                 : 0;
    REQUIRE(std::abs(rest - wanted) < 1e-12);
  }
  const int nics = static_cast<int>(devices(map, route, VertexKind::nic).size());
  const bool nvlink = map.cluster.distance(from, to) == Distance::nvlink_domain;
  REQUIRE((nics == 0) == nvlink);
  REQUIRE(route.latency > Duration(0));
  REQUIRE(route.latency == map.cluster.route(to, from).latency);
}

}  // namespace

TEST_CASE("what leaves the source arrives at the goal, and nothing is lost on the way") {
  std::mt19937 random(7);
  for (const auto& [name, nodes] : {std::pair{"gcp-a4", 28}, std::pair{"dgx-superpod-h100", 64},
                                    std::pair{"dgx-superpod-gb200", 36}}) {
    const auto& shown = name;
    CAPTURE(shown);
    const Map map(cluster(name, nodes));
    std::uniform_int_distribution<int> any(0, map.cluster.spec().gpus() - 1);
    for (int round = 0; round < 60; ++round) {
      const int from = any(random);
      const int to = any(random);
      if (from != to) check_route(map, from, to);
    }
  }
}

TEST_CASE("every GPU reaches every GPU") {
  const Map map(cluster("gcp-a4", 3));
  for (int from = 0; from < 24; ++from) {
    for (int to = 0; to < 24; ++to) {
      if (from != to) check_route(map, from, to);
    }
  }
}

TEST_CASE("a GPU reaches itself over no link in no time") {
  const Cluster c = cluster("gcp-a4", 1);
  CHECK(c.route(3, 3).links.empty());
  CHECK(c.route(3, 3).latency == Duration(0));
}

TEST_CASE("a pair in one NVLink domain spreads over all switches and takes one switch latency") {
  for (const auto& [name, planes] : {std::pair{"gcp-a4", 2}, std::pair{"dgx-superpod-h100", 4},
                                     std::pair{"dgx-superpod-gb200", 18}}) {
    const auto& shown = name;
    CAPTURE(shown);
    const Map map(cluster(name, 18));
    const int to =
        map.cluster.spec().node.gpus * map.cluster.spec().node.nvlink_domain_nodes.value - 1;
    const Route route = map.cluster.route(0, to);
    CHECK(devices(map, route, VertexKind::nvswitch).size() == static_cast<std::size_t>(planes));
    CHECK(route.links.size() == static_cast<std::size_t>(2 * planes));
    for (const LinkShare& use : route.links) CHECK(use.share == doctest::Approx(1.0 / planes));
    CHECK(route.latency == map.cluster.spec().gpu.nvlink.switch_latency.value);
  }
}

TEST_CASE("a same-rail pair of one unit goes over its one leaf") {
  const Map map(cluster("dgx-superpod-h100", 64));
  std::mt19937 random(11);
  std::uniform_int_distribution<int> node(0, 31);
  for (int rail = 0; rail < 8; ++rail) {
    const int a = node(random);
    const int b = (a + 1 + node(random) % 31) % 32;
    const Route route = map.cluster.route(8 * a + rail, 8 * b + rail);
    CHECK(devices(map, route, VertexKind::leaf).size() == 1);
    CHECK(devices(map, route, VertexKind::spine).empty());
    CHECK(devices(map, route, VertexKind::nvswitch).empty());
    CHECK(route.links.size() == 4);  // GPU, NIC, leaf, NIC, GPU
  }
}

TEST_CASE("a same-rail pair of two units spreads over all spines in equal parts") {
  const Map map(cluster("dgx-superpod-h100", 64));
  const Route route = map.cluster.route(3, 8 * 40 + 3);
  CHECK(devices(map, route, VertexKind::leaf).size() == 2);
  CHECK(devices(map, route, VertexKind::spine).size() == 8);
  for (const LinkShare& use : route.links) {
    const bool spine =
        map.kind(map.from(use)) == VertexKind::spine || map.kind(map.to(use)) == VertexKind::spine;
    CHECK(use.share == doctest::Approx(spine ? 1.0 / 8 : 1.0));
  }
}

TEST_CASE("a way over the network never crosses more than two NICs") {
  const Map map(cluster("gcp-a4", 28));
  std::mt19937 random(13);
  std::uniform_int_distribution<int> any(0, 223);
  for (int round = 0; round < 50; ++round) {
    const int from = any(random);
    const int to = any(random);
    if (from / 8 == to / 8) continue;
    const Route route = map.cluster.route(from, to);
    double crossed = 0;
    for (const LinkShare& use : route.links) {
      if (map.kind(map.to(use)) == VertexKind::nic) crossed += use.share;
    }
    CHECK(crossed == doctest::Approx(2));
  }
}

// In the small cluster a hop between NIC and leaf or leaf and spine takes 100 ns, and NIC to GPU
// the least that a link takes, 1 ps.
TEST_CASE("latency is the sum over one way, by hand") {
  const Cluster c(small_spec());
  CHECK(c.route(0, 1).latency == std::chrono::microseconds(1));
  CHECK(c.route(0, 2).latency == Duration(4 * 100'000 + 2));  // NIC leaf spine leaf NIC
  ClusterSpec one_unit = small_spec();
  one_unit.fabric.nodes_per_unit.value = 2;
  CHECK(Cluster(one_unit).route(0, 2).latency == Duration(2 * 100'000 + 2));  // NIC leaf NIC
}

TEST_CASE("latency grows with distance") {
  const Cluster c = cluster("dgx-superpod-h100", 64);
  const Duration unit = c.route(0, 8).latency;
  const Duration fabric = c.route(0, 8 * 40).latency;
  CHECK(fabric > unit);
  // two more switches and cables
  const FabricSpec& spec = c.spec().fabric;
  CHECK(fabric - unit == 2 * (spec.switch_latency.value + spec.cable_latency.value));
}

TEST_CASE("cross-rail traffic takes NVLink to the GPU on the target's rail, whatever that takes") {
  ClusterSpec spec = small_spec();
  spec.fabric.nodes_per_unit.value = 2;
  const Map with_pxn{Cluster(spec)};
  const Route route = with_pxn.cluster.route(0, 3);
  CHECK(with_pxn.cluster.exit_gpu(0, 3) == 1);
  CHECK(with_pxn.cluster.distance(0, 3) == Distance::unit);
  CHECK(with_pxn.cluster.far_latency(0, 3) == Duration(0));
  CHECK(devices(with_pxn, route, VertexKind::spine).empty());
  CHECK(devices(with_pxn, route, VertexKind::nvswitch).size() == 2);
  CHECK(route.latency == Duration(1'000'000 + 2 * 100'000 + 2));

  spec.fabric.pxn.value = false;
  const Map without{Cluster(spec)};
  CHECK(without.cluster.exit_gpu(0, 3) == 0);
  CHECK(without.cluster.distance(0, 3) == Distance::fabric);
  CHECK(without.cluster.far_latency(0, 3) == Duration(2 * 100'000));
  CHECK(devices(without, without.cluster.route(0, 3), VertexKind::nvswitch).empty());
  CHECK(without.cluster.route(0, 3).latency == Duration(4 * 100'000 + 2));
  CHECK(without.cluster.inner_links_never_bind());
}

TEST_CASE("link loads of an all-to-all between two nodes are as counted by hand") {
  // Small cluster, one spine: each GPU of node 0 sends one unit to its rail in node 1 and back.
  const Map map{Cluster(small_spec())};
  REQUIRE(devices(map, map.cluster.route(0, 2), VertexKind::spine).size() == 1);
  std::map<std::pair<VertexKind, VertexKind>, double> load;
  for (const auto& [from, to] :
       {std::pair{0, 2}, std::pair{1, 3}, std::pair{2, 0}, std::pair{3, 1}}) {
    for (const LinkShare& use : map.cluster.route(from, to).links) {
      load[{map.kind(map.from(use)), map.kind(map.to(use))}] += use.share;
    }
  }
  CHECK(load[{VertexKind::gpu, VertexKind::nic}] == 4);
  CHECK(load[{VertexKind::nic, VertexKind::leaf}] == 4);
  CHECK(load[{VertexKind::leaf, VertexKind::spine}] == 4);
  CHECK(load[{VertexKind::spine, VertexKind::leaf}] == 4);
  CHECK(load[{VertexKind::nic, VertexKind::gpu}] == 4);
  CHECK(load[{VertexKind::gpu, VertexKind::nvswitch}] == 0);
}

}  // namespace simtrain::testing::route_test
