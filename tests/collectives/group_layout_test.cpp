#include "sim/collectives/group_layout.h"

#include <doctest/doctest.h>

#include "tests/topology/clusters.h"

namespace simtrain::testing::group_layout_test {

TEST_CASE("ranks of one node are one domain without network hops") {
  const GroupLayout layout = layout_of(cluster("gcp-a4", 28), {0, 1, 2, 3});
  CHECK(layout.ranks == 4);
  CHECK(layout.domains == 1);
  CHECK(layout.fewest_per_domain == 4);
  CHECK(layout.network_hops == 0);
  CHECK(layout.far_latency == Duration(0));
  CHECK(layout.farthest_latency == Duration(0));
  CHECK(layout.widest_hop == Distance::nvlink_domain);
  CHECK(layout.ranks_per_domain() == 4);
}

TEST_CASE("a ring of two nodes leaves each node once") {
  const GroupLayout layout = layout_of(cluster("gcp-a4", 28), {0, 1, 8, 9});
  CHECK(layout.domains == 2);
  CHECK(layout.network_hops == 2);
  CHECK(layout.widest_hop == Distance::unit);
  CHECK(layout.ranks_per_domain() == 2);
}

TEST_CASE("the domain with the fewest ranks is known where they lie unevenly") {
  const GroupLayout layout = layout_of(cluster("gcp-a4", 28), {0, 1, 2, 8});
  CHECK(layout.fewest_per_domain == 1);
  CHECK(layout.ranks_per_domain() == 2);
}

TEST_CASE("a ring goes domain after domain, whatever the order of the ranks") {
  const Cluster c = cluster("gcp-a4", 28);
  const GroupLayout layout = layout_of(c, {0, 8, 1, 9});
  CHECK(layout.network_hops == 2);
  CHECK(layout.widest_hop == Distance::unit);  // of ranks that follow each other
  CHECK(by_domain(c, {0, 8, 1, 9}) == std::vector<std::vector<int>>{{0, 1}, {8, 9}});
}

// A4: 0.65 us a switch, 0.15 us a cable.
TEST_CASE("hops between units add two switches and two cables each") {
  const Cluster c = cluster("gcp-a4", 28);  // GPUs 0 to 127 are one unit
  const GroupLayout layout = layout_of(c, {0, 8, 128, 136});
  CHECK(layout.network_hops == 4);
  CHECK(c.spec().fabric.level_latency() == Duration(2 * 800'000));
  CHECK(layout.far_latency == 2 * c.spec().fabric.level_latency());  // 8 -> 128 and 136 -> 0
  CHECK(layout.farthest_latency == c.spec().fabric.level_latency());
  CHECK(layout.widest_hop == Distance::fabric);
}

TEST_CASE("a GB200 rack is one domain across its trays") {
  const Cluster c = cluster("dgx-superpod-gb200", 36);
  CHECK(layout_of(c, {0, 4, 8, 71}).domains == 1);
  CHECK(layout_of(c, {0, 72}).domains == 2);
}

TEST_CASE("a group of one rank has no hops") {
  const GroupLayout layout = layout_of(cluster("gcp-a4", 1), {5});
  CHECK(layout == GroupLayout{});
}

}  // namespace simtrain::testing::group_layout_test
