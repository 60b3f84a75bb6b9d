#include "sim/topology/cluster_cache.h"

#include <doctest/doctest.h>

#include "sim/core/files/data_folder.h"
#include "tests/core/checkout.h"
#include "tests/topology/clusters.h"

namespace simtrain::testing::cluster_cache_test {

namespace {

ClusterSpec spec(const std::string& name, int nodes) {
  return load_cluster(DataFolder(simtrain::testing::source_dir()), name, nodes, {});
}

}  // namespace

TEST_CASE("an equal spec gets the same cluster") {
  ClusterCache cache;
  const auto first = cache.get(spec("dgx-superpod-h100", 4));
  CHECK(first->gpus() == 32);
  ClusterSpec elsewhere = spec("dgx-superpod-h100", 4);
  elsewhere.gpu.where = {"other.yaml", 7, 1};
  CHECK(cache.get(elsewhere) == first);
}

TEST_CASE("whatever differs in a spec gives a cluster of its own") {
  ClusterCache cache;
  const ClusterSpec known = spec("dgx-superpod-h100", 4);
  const auto first = cache.get(known);
  ClusterSpec other = known;
  other.nodes = 5;
  CHECK(cache.get(other)->gpus() == 40);
  other = known;
  other.faults.gpus.push_back({"node1", 3, 1.5, {}});
  CHECK(cache.get(other)->slowdown(11) == 1.5);
  other = known;
  other.fabric.routing.value = Routing::ecmp;
  CHECK(cache.get(other) != first);
  other = known;
  other.gpu.nvlink.bandwidth.value = Bandwidth(1e9);
  CHECK(cache.get(other)->capacities() != first->capacities());
  CHECK(cache.get(known) == first);
}

TEST_CASE("only the clusters that were asked for last are kept") {
  ClusterCache cache(2);
  const auto four = cache.get(spec("gcp-a4", 4));
  const auto five = cache.get(spec("gcp-a4", 5));
  CHECK(cache.get(spec("gcp-a4", 4)) == four);
  cache.get(spec("gcp-a4", 6));
  CHECK(cache.get(spec("gcp-a4", 4)) == four);
  CHECK(cache.get(spec("gcp-a4", 5)) != five);
}

TEST_CASE("a cluster of its own graph is built each time, from its own hosts") {
  ClusterCache cache;
  const ClusterSpec graph = spec("lab-uneven", 3);
  const auto first = cache.get(graph);
  CHECK(first->gpus() == graph.gpus());
  CHECK(cache.get(graph) != first);
}

}  // namespace simtrain::testing::cluster_cache_test
