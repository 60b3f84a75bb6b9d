#include <cmath>
#include <map>
#include <set>

#include <doctest/doctest.h>

#include "sim/topology/cluster.h"
#include "sim/topology/gpu_links.h"
#include "sim/topology/graph/cluster_graph.h"
#include "tests/topology/clusters.h"

namespace simtrain::testing::fabric_test {

namespace {

int number(const Cluster& c, VertexKind kind) {
  const std::vector<Device>& devices = c.graph().devices;
  return static_cast<int>(std::count_if(devices.begin(), devices.end(),
                                        [&](const Device& device) { return device.kind == kind; }));
}

/// Bandwidth of all links from one kind of device to another, together.
double between(const Cluster& c, VertexKind from, VertexKind to) {
  double sum = 0;
  for (int link = 0; link < c.links(); ++link) {
    if (c.graph()[c.graph().from(link)].kind != from) continue;
    if (c.graph()[c.graph().to(link)].kind != to) continue;
    sum += c.graph().wire_of(link).bandwidth.value();
  }
  return sum;
}

/// Eight nodes of two GPUs, a unit each, two units a block, 2:1 above the spines.
ClusterSpec three_levels() {
  ClusterSpec spec = small_spec();
  spec.nodes = 8;
  spec.fabric.nodes_per_block = Sourced<int>{2, ""};
  spec.fabric.core_oversubscription.value = 2;
  return spec;
}

/// The links of a route that lie between switches, with their shares.
std::map<int, double> inner(const Cluster& c, const Route& route) {
  const LinkOwners& owners = c.owners();
  std::map<int, double> result;
  for (const LinkShare& use : route.links) {
    if (owners.shared(use.link)) result[use.link] += use.share;
  }
  return result;
}

}  // namespace

TEST_CASE("a block level has spines of each block and a core for each of their places") {
  const Cluster c(three_levels());
  CHECK(number(c, VertexKind::leaf) == 16);
  CHECK(number(c, VertexKind::spine) == 4);
  CHECK(number(c, VertexKind::core) == 1);
  CHECK(between(c, VertexKind::leaf, VertexKind::spine) == doctest::Approx(16 * 2e9));
  CHECK(between(c, VertexKind::spine, VertexKind::core) == doctest::Approx(16 * 2e9 / 2));
  CHECK_FALSE(c.inner_links_never_bind());
  ClusterSpec even = three_levels();
  even.fabric.core_oversubscription.value = 1;
  CHECK(Cluster(even).inner_links_never_bind());
}

TEST_CASE("each level that a way climbs adds two switches and cables") {
  const Cluster c(three_levels());
  CHECK(c.distance(0, 2) == Distance::block);
  CHECK(c.distance(0, 4) == Distance::fabric);
  CHECK(c.far_latency(0, 1) == Duration(0));
  CHECK(c.far_latency(0, 2) == Duration(2 * 100'000));
  CHECK(c.far_latency(0, 4) == Duration(4 * 100'000));
  CHECK(c.route(0, 2).latency == Duration(4 * 100'000 + 2));
  CHECK(c.route(0, 4).latency == Duration(6 * 100'000 + 2));
  CHECK(inner(c, c.route(0, 2)).size() == 2);
  CHECK(inner(c, c.route(0, 4)).size() == 4);
}

TEST_CASE("256 SuperPOD nodes have two levels, 257 and more a third, all of them non-blocking") {
  CHECK(number(cluster("dgx-superpod-b200", 256), VertexKind::core) == 0);
  const Cluster c = cluster("dgx-superpod-b200", 512);
  CHECK(number(c, VertexKind::leaf) == 128);
  // 2 blocks of 64 leaves * 32 uplinks: 64 spines a block in planes of two, and 64 cores likewise.
  CHECK(number(c, VertexKind::spine) == 64);
  CHECK(number(c, VertexKind::core) == 32);
  CHECK(between(c, VertexKind::leaf, VertexKind::spine) == doctest::Approx(4096 * 50e9));
  CHECK(between(c, VertexKind::spine, VertexKind::core) == doctest::Approx(4096 * 50e9));
  CHECK(c.distance(0, 8 * 255) == Distance::block);
  CHECK(c.distance(0, 8 * 256) == Distance::fabric);
  CHECK(c.inner_links_never_bind());
}

TEST_CASE("a 2:1 fat tree has one leaf a unit and half of its bandwidth upward") {
  const Cluster c = cluster("fat-tree-h100-2to1", 16);
  CHECK(number(c, VertexKind::leaf) == 4);
  CHECK(number(c, VertexKind::spine) == 1);  // 4 leaves * 16 cables
  CHECK(between(c, VertexKind::leaf, VertexKind::spine) == doctest::Approx(128 * 50e9 / 2));
  CHECK(c.distance(0, 8 * 3 + 5) == Distance::unit);  // no rails
  CHECK(c.exit_gpu(0, 8 * 3 + 5) == 0);
  CHECK(c.distance(0, 8 * 4) == Distance::fabric);
  CHECK_FALSE(c.inner_links_never_bind());
  CHECK(cluster("fat-tree-h100-2to1", 4).inner_links_never_bind());  // all below one leaf
}

TEST_CASE("under ECMP a connection takes one way, always the same") {
  const Cluster c = cluster("fat-tree-h100-2to1", 16);
  const Cluster again = cluster("fat-tree-h100-2to1", 16);
  std::set<int> first_links;
  for (std::uint64_t salt = 0; salt < 200; ++salt) {
    const auto links = inner(c, c.route(0, 64, salt));
    REQUIRE(links.size() == 2);
    for (const auto& [link, share] : links) CHECK(share == 1);
    CHECK(links == inner(again, again.route(0, 64, salt)));
    first_links.insert(links.begin()->first);
  }
  CHECK(first_links.size() == 16);  // each of the leaf's cables is taken by some
}

TEST_CASE("connections hashed on as many cables collide as balls in bins do") {
  const Cluster c = cluster("fat-tree-h100-2to1", 16);
  double distinct = 0;
  int pairs = 0;
  for (int from = 0; from < 32; ++from) {
    for (int to = 32; to < 64; ++to, ++pairs) {
      const Route route = c.spread_route(from, to, 16);
      double out = 0;
      for (const auto& [link, share] : inner(c, route)) {
        const double parts = share * 16;
        REQUIRE(parts == std::round(parts));
        out += share / 2;  // up and down
        distinct += 0.5;
      }
      REQUIRE(out == doctest::Approx(1));
    }
  }
  // 16 * (1 - (15/16)^16) = 10.30 of 16 cables
  CHECK(distinct / pairs == doctest::Approx(10.30).epsilon(0.02));
}

TEST_CASE("without ECMP connections and salts change nothing") {
  const Cluster c = cluster("dgx-superpod-h100", 64);
  const Route one = c.route(0, 8 * 40);
  const Route many = c.spread_route(0, 8 * 40, 16);
  CHECK(inner(c, one) == inner(c, many));
  CHECK(inner(c, one) == inner(c, c.route(0, 8 * 40, 7)));
}

TEST_CASE("ECMP leaves links unbound only where ways do not branch") {
  ClusterSpec spec = small_spec();  // one spine, one cable from each leaf
  spec.fabric.routing.value = Routing::ecmp;
  CHECK(Cluster(spec).inner_links_never_bind());
  ClusterSpec wide = cluster("dgx-superpod-h100", 64).spec();
  CHECK(Cluster(wide).inner_links_never_bind());
  wide.fabric.routing.value = Routing::ecmp;
  CHECK_FALSE(Cluster(wide).inner_links_never_bind());
}

TEST_CASE("eight GPUs with four NICs share them in pairs") {
  ClusterSpec spec = cluster("dgx-superpod-h100", 2).spec();
  spec.node.nics.value = 4;
  const Cluster c(spec);
  CHECK(c.nics() == 8);
  CHECK(number(c, VertexKind::leaf) == 4);
  for (int gpu = 0; gpu < 16; ++gpu) CHECK(c.nic_of(gpu) == gpu / 2);
  CHECK(c.exit_gpu(1, 8) == 1);  // the same rail
  CHECK(c.exit_gpu(1, 10) == 2);
  const LinkOwners& owners = c.owners();
  const auto first = owners.of_gpu(0).nic;
  const auto second = owners.of_gpu(1).nic;
  CHECK(first.size() == 4);
  CHECK(std::set<int>(first.end() - 2, first.end()) ==
        std::set<int>(second.end() - 2, second.end()));
}

TEST_CASE("hosts have their place") {
  const Cluster c = cluster("dgx-superpod-gb200", 150);
  const Host& last = c.hosts().back();
  CHECK(last.name == "node149");
  CHECK(last.first_gpu == 4 * 149);
  CHECK(last.first_nic == 4 * 149);
  CHECK(last.domain == 8);
  CHECK(last.unit == 1);
  CHECK(last.block == 1);
  CHECK(c.host_of(599) == 149);
  CHECK(c.gpus() == 600);
}

}  // namespace simtrain::testing::fabric_test
