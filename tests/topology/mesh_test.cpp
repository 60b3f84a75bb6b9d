#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "sim/core/input/input_error.h"
#include "sim/topology/cluster_facts.h"
#include "tests/topology/clusters.h"

namespace simtrain::testing::mesh_test {

namespace {

/// Two nodes of four GPUs that are joined pair by pair, each by 3 GB/s.
ClusterSpec mesh_spec() {
  ClusterSpec spec = small_spec();
  spec.node.gpus = 4;
  spec.node.gpu_wiring.value = GpuWiring::mesh;
  spec.node.nvswitches.value = 0;
  spec.gpu.nvlink.bandwidth.value = Bandwidth(9e9);
  return spec;
}

std::string refusal(const NodeSpec& node) {
  try {
    check_node(node);
  } catch (const InputError& refused) {
    return refused.what();
  }
  return "";
}

}  // namespace

TEST_CASE("in a mesh data goes by the link of the pair, in one hop") {
  const Cluster cluster(mesh_spec());
  std::set<int> links;
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) {
      if (from == to) continue;
      const Route route = cluster.route(from, to);
      REQUIRE(route.links.size() == 1);
      CHECK(route.links.front().share == 1);
      CHECK(route.latency == std::chrono::microseconds(1));
      const auto link = static_cast<std::size_t>(route.links.front().link);
      CHECK(cluster.capacities()[link] == doctest::Approx(3e9));
      CHECK(links.insert(route.links.front().link).second);
    }
  }
  CHECK(cluster.distance(0, 3) == Distance::nvlink_domain);
  CHECK(cluster.distance(0, 4) != Distance::nvlink_domain);
}

TEST_CASE("a link of a mesh is that of the GPU that sends") {
  const Cluster cluster(mesh_spec());
  for (int gpu = 0; gpu < cluster.gpus(); ++gpu) {
    const GpuLinks own = cluster.owners().of_gpu(gpu);
    REQUIRE(own.peers.size() == 3);
    CHECK(own.nvlink.size() == 3);
    for (const PeerLink& peer : own.peers) {
      CHECK(cluster.route(gpu, peer.gpu).links.front().link == peer.link);
      CHECK(!cluster.owners().shared(peer.link));
      const std::span<const int> other = cluster.owners().of_gpu(peer.gpu).nvlink;
      CHECK(std::find(other.begin(), other.end(), peer.link) == other.end());
    }
  }
}

TEST_CASE("a mesh has no NVLink switches and as many cables as pairs") {
  const ClusterFacts facts = cluster_facts(cluster_map(Cluster(mesh_spec())));
  CHECK(facts.nvswitches == 0);
  REQUIRE(!facts.levels.empty());
  CHECK(facts.levels.front().high == VertexKind::gpu);
  CHECK(facts.levels.front().per_gpu.value() == doctest::Approx(9e9));
  CHECK(facts.cables.front().high == VertexKind::gpu);
  CHECK(facts.cables.front().count == 2 * 6);
}

TEST_CASE("a node has switches or a mesh, and a mesh is of one node") {
  NodeSpec node = mesh_spec().node;
  CHECK(refusal(node).empty());
  node.nvlink_domain_nodes.value = 2;
  CHECK(refusal(node).find("nvlink_domain_nodes: is 2 though gpu_wiring is mesh") !=
        std::string::npos);
  node = mesh_spec().node;
  node.nvswitches.value = 4;
  CHECK(refusal(node).find("nvswitches: is given though gpu_wiring is mesh") != std::string::npos);
  node = small_spec().node;
  node.nvswitches.value = 0;
  CHECK(refusal(node).find("nvswitches: is missing") != std::string::npos);
}

}  // namespace simtrain::testing::mesh_test
