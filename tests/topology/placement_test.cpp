#include "sim/topology/placement.h"

#include <doctest/doctest.h>

#include "tests/topology/clusters.h"

using namespace simtrain;

TEST_CASE("a compact placement fills node after node") {
  const Cluster cluster(simtrain::testing::small_spec());
  const Placement placement = place(cluster, PlacementKind::compact);
  REQUIRE(placement.gpu_of_rank.size() == 4);
  for (int rank = 0; rank < 4; ++rank) CHECK(placement.gpu(rank) == rank);
}
