// What fabrics, rails and broken NICs do to calls, against bounds worked out by hand.
#include "sim/study/nccl/nccl_sweep.h"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "tests/topology/clusters.h"

namespace simtrain::testing::nccl_sweep_test {

namespace {

constexpr Bytes kLarge{std::int64_t{16} << 30};

/// Eight H100 nodes below four leaves of two nodes each, spread ideally over the spines.
ClusterSpec four_units(double oversubscription) {
  ClusterSpec spec = cluster("fat-tree-h100-2to1", 8).spec();
  spec.fabric.nodes_per_unit.value = 2;
  spec.fabric.oversubscription.value = oversubscription;
  spec.fabric.routing.value = Routing::ideal;
  return spec;
}

double seconds(const ClusterSpec& spec, Collective collective, const std::vector<int>& gpus) {
  NcclSettings settings;
  settings.version.value = {2, 27, 3};
  settings.p2p_net_chunk.value = Bytes(2 << 20);
  NcclSweepRequest request{collective, gpus, kLarge, kLarge, 2};
  return to_seconds(nccl_sweep(Cluster(spec), settings, request).front().time);
}

std::vector<int> first(int count) {
  std::vector<int> gpus(static_cast<std::size_t>(count));
  for (int gpu = 0; gpu < count; ++gpu) gpus[static_cast<std::size_t>(gpu)] = gpu;
  return gpus;
}

}  // namespace

TEST_CASE("2:1 oversubscription slows an all-to-all over units as its uplinks predict") {
  // Of 64 ranks a rank sends to 56 beyond its node over its NIC at 0.97 of the rate, and to 48
  // beyond its unit; 16 NICs share uplinks of 16 / 2 NICs.
  const double even = seconds(four_units(1), Collective::all_to_all, first(64));
  const double halved = seconds(four_units(2), Collective::all_to_all, first(64));
  CHECK(halved / even == doctest::Approx(48 / 0.5 / (56 / 0.97)).epsilon(0.01));
}

TEST_CASE("what stays below one leaf does not feel oversubscription") {
  for (const Collective collective :
       {Collective::all_to_all, Collective::all_reduce, Collective::all_gather}) {
    CHECK(seconds(four_units(2), collective, first(16)) ==
          seconds(four_units(1), collective, first(16)));
    CHECK(seconds(four_units(2), collective, first(8)) ==
          seconds(four_units(1), collective, first(8)));
  }
}

TEST_CASE("a ring over nodes in order crosses a 2:1 leaf with half of its NICs and is not slowed") {
  // Two nodes a leaf: of their 16 NICs, the eight of the second send beyond it. Uplinks hold 8.
  CHECK(seconds(four_units(2), Collective::all_gather, first(64)) <=
        seconds(four_units(1), Collective::all_gather, first(64)) * 1.001);
  // In an order that leaves the unit at each hop all 16 NICs send beyond: half the rate.
  std::vector<int> spread;
  for (const int node : {0, 2, 4, 6, 1, 3, 5, 7}) {
    for (int gpu = 0; gpu < 8; ++gpu) spread.push_back(node * 8 + gpu);
  }
  const double even = seconds(four_units(1), Collective::all_gather, spread);
  const double halved = seconds(four_units(2), Collective::all_gather, spread);
  CHECK(halved / even > 1.6);
  CHECK(halved / even < 2.0);
}

TEST_CASE("a NIC at half its rate halves the calls that use it, and no others") {
  ClusterSpec healthy = cluster("dgx-superpod-h100", 4).spec();
  ClusterSpec broken = healthy;
  broken.faults.nics.push_back({"node3", 5, 0.5, {}});
  // 16 channels of 22 GB/s carry 352 GB/s of 8 x 48.5: the slow NIC allows 8 x 24.25.
  const double slowed = seconds(broken, Collective::all_gather, first(32)) /
                        seconds(healthy, Collective::all_gather, first(32));
  CHECK(slowed == doctest::Approx(352.0 / (8 * 24.25)).epsilon(0.03));
  CHECK(seconds(broken, Collective::all_gather, first(24)) ==
        seconds(healthy, Collective::all_gather, first(24)));
  CHECK(seconds(broken, Collective::all_reduce, {24, 25, 26, 27, 28, 29, 30, 31}) ==
        seconds(healthy, Collective::all_reduce, {24, 25, 26, 27, 28, 29, 30, 31}));
}

TEST_CASE("a NIC that is down makes its neighbour carry both") {
  ClusterSpec healthy = cluster("dgx-superpod-h100", 4).spec();
  ClusterSpec broken = healthy;
  broken.faults.nics.push_back({"node1", 2, 0, {}});
  const double slowed = seconds(broken, Collective::all_gather, first(32)) /
                        seconds(healthy, Collective::all_gather, first(32));
  CHECK(slowed == doctest::Approx(352.0 / (8 * 24.25)).epsilon(0.03));
}

TEST_CASE("sizes grow by the factor up to the largest") {
  const Cluster one = cluster("gcp-a4", 1);
  NcclSettings settings;
  settings.version.value = {2, 25, 1};
  settings.p2p_net_chunk.value = Bytes(128 << 10);
  const auto rows =
      nccl_sweep(one, settings, {Collective::all_gather, first(8), Bytes(8), Bytes(100), 3});
  CHECK(rows.size() == 3);
  CHECK(rows.back().cost.bytes == Bytes(72));
  for (const NcclSweepRow& row : rows) CHECK(row.time > Duration(0));
}

TEST_CASE("an all-to-all of one rank a node is held by the channels of its messages") {
  const ClusterSpec two = cluster("dgx-superpod-h100", 2).spec();
  // 2 channels of 2 MiB chunks, 10 us to turn around, over a NIC of 48.5 GB/s: half of 16 GiB.
  const double channel = 2097152 / (10e-6 + 2097152 / 48.5e9);
  const double rate = std::min(48.5e9, 2 * channel);
  CHECK(seconds(two, Collective::all_to_all, {0, 8}) ==
        doctest::Approx(8.0 * (1 << 30) / rate).epsilon(0.01));
}

TEST_CASE("the domain with the fewest ranks holds an all-to-all") {
  // 72 GPUs of a rack and 4 of the next: each of the four sends 72 of 76 parts over its NIC.
  const ClusterSpec racks = cluster("dgx-superpod-gb200", 19).spec();
  CHECK(seconds(racks, Collective::all_to_all, first(76)) >
        72.0 / 76 * 16 * (std::int64_t{1} << 30) / 50e9);
}

TEST_CASE("a rank alone moves nothing, at no rate") {
  const Cluster one = cluster("dgx-superpod-h100", 1);
  NcclSettings settings;
  settings.version.value = {2, 25, 1};
  const NcclCommunicator calls(one, settings, {3});
  for (const Collective collective :
       {Collective::all_reduce, Collective::all_gather, Collective::all_to_all}) {
    const NcclSweepRow row = calls.of(collective, kLarge);
    CHECK(row.bus_bandwidth() == 0);
    CHECK(std::isfinite(row.algorithm_bandwidth()));
  }
}

TEST_CASE("an all-to-all over two nodes waits for each peer and for chunks to come back") {
  const Cluster two = cluster("dgx-superpod-b200", 2);
  NcclSettings settings;
  settings.version.value = {2, 27, 3};
  settings.p2p_net_chunk.value = Bytes(128 << 10);
  settings.p2p_channels_per_peer = Sourced<int>{1, "test"};
  const NcclCommunicator ranks(two, settings, first(16));
  const auto time = [&](std::int64_t bytes) {
    return to_seconds(ranks.of(Collective::all_to_all, Bytes(bytes)).time) * 1e6;
  };
  // A report of two HGX B200 nodes (Vultr), one channel a peer: 37.8 us, 3050 us, 95.0 ms.
  CHECK(std::abs(time(4 << 10) / 37.8 - 1) < 0.05);
  CHECK(std::abs(time(128 << 20) / 3050.4 - 1) < 0.05);
  CHECK(std::abs(time(std::int64_t{4} << 30) / 95002.7 - 1) < 0.05);
}

TEST_CASE("a send of 512 MiB takes twice the channels of one of 256 MiB between two B200") {
  const Cluster node = cluster("dgx-superpod-b200", 1);
  NcclSettings settings;
  settings.version.value = {2, 27, 3};
  const NcclCommunicator ranks(node, settings, first(8));
  const auto rate = [&](std::int64_t mib) {
    return ranks.of(Collective::send_receive, Bytes(mib << 20)).algorithm_bandwidth() / 1e9;
  };
  CHECK(std::abs(rate(256) / 331 - 1) < 0.05);  // the same report
  CHECK(std::abs(rate(512) / 625 - 1) < 0.07);
  CHECK(std::abs(rate(4096) / 658 - 1) < 0.05);
}

}  // namespace simtrain::testing::nccl_sweep_test
