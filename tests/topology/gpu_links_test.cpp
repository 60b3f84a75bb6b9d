#include "sim/topology/gpu_links.h"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "tests/topology/clusters.h"

namespace simtrain::testing::gpu_links_test {

TEST_CASE("a GPU owns both directions of its NVLink and NIC links, and no other GPU does") {
  const Cluster cluster = simtrain::testing::cluster("dgx-superpod-gb200", 36);
  const LinkOwners& owners = cluster.owners();
  std::set<int> seen;
  for (int gpu = 0; gpu < cluster.spec().gpus(); ++gpu) {
    const GpuLinks own = owners.of_gpu(gpu);
    CHECK(own.nvlink.size() == 2 * 18);
    CHECK(own.nic.size() == 4);  // GPU and NIC, NIC and leaf
    for (const int link : own.nvlink) CHECK(seen.insert(link).second);
    for (const int link : own.nic) CHECK(seen.insert(link).second);
  }
}

TEST_CASE("only links between switches are shared") {
  const Cluster cluster = simtrain::testing::cluster("gcp-a4", 28);
  const LinkOwners& owners = cluster.owners();
  int shared = 0;
  for (int link = 0; link < cluster.links(); ++link) shared += owners.shared(link) ? 1 : 0;
  CHECK(shared == 2 * 16 * 4);  // 16 leaves on 4 spines, both directions
}

TEST_CASE("every NVLink and NIC link of a route belongs to one of its ends") {
  const Cluster cluster = simtrain::testing::cluster("gcp-a4", 28);
  const LinkOwners& owners = cluster.owners();
  const auto belongs = [&](int link, int gpu) {
    const GpuLinks own = owners.of_gpu(gpu);
    return std::count(own.nvlink.begin(), own.nvlink.end(), link) +
               std::count(own.nic.begin(), own.nic.end(), link) >
           0;
  };
  for (const auto& [from, to] : {std::pair{0, 5}, std::pair{2, 10}, std::pair{1, 217}}) {
    for (const LinkShare& use : cluster.route(from, to).links) {
      CHECK((owners.shared(use.link) || belongs(use.link, from) || belongs(use.link, to)));
    }
  }
}

}  // namespace simtrain::testing::gpu_links_test
