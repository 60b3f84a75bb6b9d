#include "sim/topology/placement/placement.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <doctest/doctest.h>

#include "tests/topology/clusters.h"

namespace simtrain::testing::placement_test {

namespace {

using Hosts = std::vector<int>;

/// `available` hosts of two GPUs, `per_unit` of them below each leaf.
ClusterSpec hosts_in_units(int available, int per_unit) {
  ClusterSpec spec = simtrain::testing::small_spec();
  spec.nodes = available;
  spec.fabric.nodes_per_unit.value = per_unit;
  return spec;
}

PlacementRequest request(int nodes, PlacementKind kind) {
  PlacementRequest request{nodes, {}, {}};
  request.spec.kind = kind;
  return request;
}

PlacementRequest drawn(int nodes, PlacementKind kind, int seed, double free = 1) {
  PlacementRequest asked = request(nodes, kind);
  asked.spec.seed = seed;
  asked.spec.free = free;
  return asked;
}

PlacementRequest listed(std::vector<std::string> hosts) {
  PlacementRequest asked = request(static_cast<int>(hosts.size()), PlacementKind::hosts);
  asked.spec.hosts = std::move(hosts);
  return asked;
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

TEST_CASE("the whole cluster placed compactly is every GPU in order") {
  const Placement placement = place_compactly(simtrain::testing::small_spec());
  CHECK(placement.gpu_of_rank == Hosts{0, 1, 2, 3});
}

TEST_CASE("compact takes the first hosts, spread one of each unit in turn") {
  const ClusterSpec spec = hosts_in_units(10, 4);  // units 0-3, 4-7, 8-9
  CHECK(placed_hosts(spec, request(5, PlacementKind::compact)) == Hosts{0, 1, 2, 3, 4});
  CHECK(placed_hosts(spec, request(5, PlacementKind::spread)) == Hosts{0, 4, 8, 1, 5});
  CHECK(placed_hosts(spec, request(9, PlacementKind::spread)) == Hosts{0, 4, 8, 1, 5, 9, 2, 6, 3});
}

TEST_CASE("a list of hosts is taken in its order") {
  const ClusterSpec spec = hosts_in_units(10, 4);
  CHECK(placed_hosts(spec, listed({"9", "0", "4"})) == Hosts{9, 0, 4});
  PlacementRequest sorted = listed({"9", "0", "4"});
  sorted.order = RankOrder::sorted_hosts;
  CHECK(placed_hosts(spec, sorted) == Hosts{0, 4, 9});
}

TEST_CASE("hosts that the cluster does not have are refused") {
  const ClusterSpec spec = hosts_in_units(10, 4);
  CHECK(refusal(spec, listed({"1", "10"})) == "'10' is no host; there are 0 to 9");
  CHECK(refusal(spec, listed({"-1"})) == "'-1' is no host; there are 0 to 9");
  CHECK(refusal(spec, listed({"1x"})) == "'1x' is no host; there are 0 to 9");
  CHECK(refusal(spec, listed({"1", "2", "1"})) == "'1' is given twice");
  PlacementRequest two = listed({"1", "2", "3"});
  two.nodes = 2;
  CHECK(refusal(spec, two) == "lists 3 hosts for a job of 2 nodes");
  CHECK(refusal(spec, drawn(6, PlacementKind::fragmented, 1, 0.5)) ==
        "leaves 5 of 10 hosts free, too few for 6 nodes");
}

TEST_CASE("random draws each host at most once, by its seed alone") {
  const ClusterSpec spec = hosts_in_units(64, 4);
  std::set<Hosts> different;
  for (int seed = 0; seed < 20; ++seed) {
    const Hosts hosts = placed_hosts(spec, drawn(16, PlacementKind::random, seed));
    CHECK(hosts == placed_hosts(spec, drawn(16, PlacementKind::random, seed)));
    CHECK(std::set<int>(hosts.begin(), hosts.end()).size() == 16);
    CHECK(*std::min_element(hosts.begin(), hosts.end()) >= 0);
    CHECK(*std::max_element(hosts.begin(), hosts.end()) < 64);
    different.insert(hosts);
  }
  CHECK(different.size() == 20);
}

// The draws of seed 7 as any standard library must make them.
TEST_CASE("a draw is the same everywhere") {
  CHECK(placed_hosts(hosts_in_units(8, 4), drawn(8, PlacementKind::random, 7)) ==
        Hosts{7, 5, 2, 4, 1, 3, 0, 6});
}

TEST_CASE("every host is drawn equally often") {
  const ClusterSpec spec = hosts_in_units(5, 5);
  std::array<int, 5> first{};
  constexpr int kSeeds = 2000;
  for (int seed = 0; seed < kSeeds; ++seed)
    ++first[static_cast<std::size_t>(placed_hosts(spec, drawn(1, PlacementKind::random, seed))[0])];
  for (const int count : first) {
    CHECK(count > kSeeds / 5 - 80);  // 400 expected, standard deviation 18
    CHECK(count < kSeeds / 5 + 80);
  }
}

TEST_CASE("a fragmented cluster gives its first free hosts") {
  const ClusterSpec spec = hosts_in_units(20, 4);
  for (int seed = 0; seed < 10; ++seed) {
    const Hosts some = placed_hosts(spec, drawn(6, PlacementKind::fragmented, seed, 0.6));
    const Hosts all = placed_hosts(spec, drawn(12, PlacementKind::fragmented, seed, 0.6));
    CHECK(std::is_sorted(all.begin(), all.end()));
    CHECK(std::equal(some.begin(), some.end(), all.begin()));
  }
  CHECK(placed_hosts(spec, drawn(20, PlacementKind::fragmented, 1, 1)) ==
        placed_hosts(spec, request(20, PlacementKind::compact)));
}

TEST_CASE("ranks fill host after host, or go round over the hosts") {
  const ClusterSpec spec = hosts_in_units(4, 2);
  PlacementRequest asked = listed({"3", "1"});
  CHECK(place(spec, asked).gpu_of_rank == Hosts{6, 7, 2, 3});
  asked.order = RankOrder::round_robin;
  CHECK(place(spec, asked).gpu_of_rank == Hosts{6, 2, 7, 3});
  asked.order = RankOrder::sorted_hosts;
  CHECK(place(spec, asked).gpu_of_rank == Hosts{2, 3, 6, 7});
}

TEST_CASE("every kind of placement has a row, and every row its help") {
  CHECK(placements().size() == EnumNames<PlacementKind>::rows.size());
  for (const PlacementRow& row : placements()) CHECK(!row.help.empty());
}

}  // namespace simtrain::testing::placement_test
