#include "sim/topology/placement/segments.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include <doctest/doctest.h>

#include "sim/topology/placement/placement.h"
#include "tests/topology/clusters.h"

namespace simtrain::testing::segments_test {

namespace {

/// Hosts in NVLink domains of 18, as NVL72 racks.
ClusterSpec racks(int hosts) {
  ClusterSpec spec = small_spec();
  spec.nodes = hosts;
  spec.node.nvlink_domain_nodes.value = 18;
  return spec;
}

PlacementRequest in_segments_of(int segment, int nodes) {
  PlacementRequest request{nodes, {}, {}};
  request.spec.segment = segment;
  return request;
}

std::string refusal(const ClusterSpec& spec, const PlacementRequest& asked) {
  try {
    placed_hosts(spec, asked);
  } catch (const std::invalid_argument& refused) {
    return refused.what();
  }
  return "";
}

}  // namespace

TEST_CASE("segments of 16 leave two trays of each rack free") {
  const std::vector<int> hosts = placed_hosts(racks(36), in_segments_of(16, 32));
  REQUIRE(hosts.size() == 32);
  CHECK(hosts.front() == 0);
  CHECK(hosts[15] == 15);
  CHECK(hosts[16] == 18);
  CHECK(hosts.back() == 33);
}

TEST_CASE("small segments share a rack, and none straddles two") {
  for (const int segment : {1, 2, 4, 6, 8, 9, 18}) {
    const int nodes = 36 / segment * segment;
    const std::vector<int> hosts = placed_hosts(racks(72), in_segments_of(segment, nodes));
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const std::size_t first =
          i / static_cast<std::size_t>(segment) * static_cast<std::size_t>(segment);
      CHECK(hosts[i] / 18 == hosts[first] / 18);
    }
  }
}

TEST_CASE("segments are found among the free hosts of a fragmented cluster") {
  PlacementRequest request = in_segments_of(4, 40);
  request.spec.kind = PlacementKind::fragmented;
  request.spec.seed = 7;
  request.spec.free = 0.6;
  const std::vector<int> hosts = placed_hosts(racks(144), request);
  REQUIRE(hosts.size() == 40);
  CHECK(std::is_sorted(hosts.begin(), hosts.end()));
  std::map<int, int> by_rack;
  for (const int host : hosts) ++by_rack[host / 18];
  for (const auto& rack : by_rack) CHECK(rack.second % 4 == 0);
}

TEST_CASE("segments that do not divide the job, fit no rack or find too few hosts are refused") {
  CHECK(refusal(racks(72), in_segments_of(16, 40)) ==
        "has segments of 16 nodes, which do not divide the job's 40; 48 nodes would do");
  CHECK(refusal(racks(72), in_segments_of(20, 40)) ==
        "has segments of 20 nodes, more than the 18 of an NVLink domain");
  CHECK(refusal(racks(34), in_segments_of(10, 20)).empty());
  CHECK(refusal(racks(33), in_segments_of(16, 32)) ==
        "finds 16 hosts in whole segments of 16 nodes, too few for 32 nodes");
}

TEST_CASE("of jobs beyond a domain, the largest divisor of their nodes is the usual segment") {
  NodeSpec node = racks(1).node;
  node.gpus = 4;
  CHECK(!usual_segment(node, 16));
  CHECK(!usual_segment(node, 18));
  CHECK(usual_segment(node, 20) == 10);
  CHECK(usual_segment(node, 32) == 16);
  CHECK(usual_segment(node, 36) == 18);
  CHECK(usual_segment(node, 56) == 14);
  CHECK(usual_segment(node, 22) == 2);  // of 11 trays a group of 8 GPUs would straddle two racks
  CHECK(!usual_segment(node, 37));
  node.nvlink_domain_nodes.value = 1;
  CHECK(!usual_segment(node, 128));
}

TEST_CASE("a job in segments reaches over as few hosts as hold it") {
  NodeSpec node = racks(1).node;
  CHECK(hosts_for_segments(node, 16, 16) == 16);
  CHECK(hosts_for_segments(node, 32, 16) == 34);
  CHECK(hosts_for_segments(node, 48, 16) == 52);
  CHECK(hosts_for_segments(node, 36, 9) == 36);
  for (const int segment : {1, 4, 5, 9, 16}) {
    for (int nodes = segment; nodes <= 6 * segment; nodes += segment) {
      const int least = hosts_for_segments(node, nodes, segment);
      CHECK(refusal(racks(least), in_segments_of(segment, nodes)).empty());
      CHECK((least == nodes || !refusal(racks(least - 1), in_segments_of(segment, nodes)).empty()));
    }
  }
}

}  // namespace simtrain::testing::segments_test
