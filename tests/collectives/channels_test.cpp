#include "sim/collectives/libraries/nccl/channels.h"

#include <doctest/doctest.h>

#include "tests/collectives/environment.h"

namespace simtrain::testing::channels_test {

namespace {

void check_ring(const Setup& setup, const GroupLayout& layout, int channels, double bandwidth) {
  const ChannelGraph graph = ring_graph(layout, setup.environment());
  CHECK(graph.channels == channels);
  CHECK(graph.bandwidth == doctest::Approx(bandwidth));
}

}  // namespace

// As NCCL_DEBUG=INFO prints them ("24 coll channels"), see NVIDIA/nccl src/graph.
TEST_CASE("rings inside a node: 24 on H100, 32 on B200, 24 on A100") {
  const Setup h100("dgx-superpod-h100", 1);
  check_ring(h100, h100.layout(8), 24, 15);  // six of 60 GB/s in 370.8, doubled twice
  check_ring(h100, h100.layout(2), 24, 15);
  const Setup b200("dgx-superpod-b200", 1);
  check_ring(b200, b200.layout(8), 32, 22.5);  // eight of 90 GB/s in 721.8
  // No A100 is in hardware/: its architecture and 12 links of 20 GB/s on a node of H100.
  ClusterSpec ampere = h100.cluster.spec();
  ampere.gpu.architecture = Architecture::ampere;
  ampere.gpu.nccl.graph_bandwidth.value = Bandwidth(240e9);
  const ChannelGraph graph = ring_graph(h100.layout(8), {ampere, h100.settings});
  CHECK(graph.channels == 24);
  CHECK(graph.bandwidth == doctest::Approx(10));
}

TEST_CASE("rings between nodes: one a NIC, doubled; four where a node has one GPU") {
  for (const char* name : {"dgx-superpod-h100", "dgx-superpod-b200"}) {
    CAPTURE(name);
    const Setup setup(name, 16);
    check_ring(setup, setup.layout(2, 8), 16, 24);  // eight of 48 GB/s
    check_ring(setup, setup.layout(16, 8), 16, 24);
    check_ring(setup, setup.layout(16, 1), 4, 12);  // one of 48 GB/s, doubled twice
  }
}

TEST_CASE("NCCL_MIN_NCHANNELS and NCCL_MAX_NCHANNELS bound the rings") {
  Setup setup("dgx-superpod-h100", 4);
  setup.settings.max_channels = Sourced<int>{4, ""};
  check_ring(setup, setup.layout(8), 4, 15);  // what is left out is lost
  setup.settings.max_channels.reset();
  setup.settings.min_channels = Sourced<int>{32, ""};
  check_ring(setup, setup.layout(8), 32, 360.0 / 32);  // more share the same
  check_ring(setup, setup.layout(32), 32, 384.0 / 32);
  setup.settings.min_channels->value = 64;
  check_ring(setup, setup.layout(8), 32, 360.0 / 32);  // NCCL 2.25 has 32
  setup.settings.version.value = {2, 26, 2};
  check_ring(setup, setup.layout(8), 64, 360.0 / 64);
  setup.settings.max_channels = Sourced<int>{8, ""};  // least and most disagree: most wins
  check_ring(setup, setup.layout(8), 8, 15);
}

TEST_CASE("the channels of a plan are the SMs that it takes") {
  Setup setup("dgx-superpod-h100", 4);
  CHECK(setup.plan(Collective::all_gather, kMiB * 64, 8).sms == 24);
  CHECK(setup.plan(Collective::all_gather, kMiB * 64, 32).sms == 16);
  CHECK(setup.plan(Collective::all_reduce, kMiB * 64, 8).sms == 16);  // NVLS
  setup.settings.max_channels = Sourced<int>{8, ""};
  CHECK(setup.plan(Collective::all_gather, kMiB * 64, 8).sms == 8);
}

TEST_CASE("NVLS has a head for each rank of a domain, at most 8, in one 32 from 2.26 on") {
  Setup setup("dgx-superpod-gb200", 36);
  CHECK(nvls_heads(setup.layout(4), setup.settings) == 4);
  CHECK(nvls_heads(setup.layout(72), setup.settings) == 8);
  setup.settings.version.value = {2, 26, 0};
  CHECK(nvls_heads(setup.layout(72), setup.settings) == 32);
  CHECK(nvls_heads(setup.layout(144), setup.settings) == 8);
}

TEST_CASE("NVLS takes 16 CTAs on H100, 32 on B200 and 24 there in one domain from 2.27 on") {
  const auto ctas = [](const char* name, NcclVersion version, int ranks) {
    const Setup setup(name, 2, version);
    return nvls_graph(setup.layout(ranks), setup.environment()).channels;
  };
  CHECK(ctas("dgx-superpod-h100", {2, 29, 2}, 8) == 16);
  CHECK(ctas("dgx-superpod-h100", {2, 29, 2}, 16) == 16);
  CHECK(ctas("dgx-superpod-b200", {2, 26, 2}, 8) == 32);
  CHECK(ctas("dgx-superpod-b200", {2, 27, 5}, 8) == 24);
  CHECK(ctas("dgx-superpod-b200", {2, 27, 5}, 16) == 32);
}

TEST_CASE("NVLS counts the fastest speed that a head's share of the links has room for") {
  const auto speed = [](const char* name, int ranks) {
    const Setup setup(name, 1);
    return nvls_graph(setup.layout(ranks), setup.environment()).bandwidth;
  };
  CHECK(speed("dgx-superpod-h100", 8) == 40);  // 370.8 / 8 = 46.35
  CHECK(speed("dgx-superpod-h100", 5) == 60);  // 74.2
  CHECK(speed("dgx-superpod-b200", 8) == 90);  // 90.2
}

TEST_CASE("a pair inside a domain shares 32 channels with the other ranks of its communicator") {
  const Setup setup("dgx-superpod-b200", 1);
  const auto channels = [&](int ranks, Bytes bytes) {
    return nvlink_pair_channels(setup.cluster.spec(), ranks, bytes);
  };
  CHECK(channels(1, Bytes(1)) == 16);
  CHECK(channels(2, Bytes(1)) == 16);
  CHECK(channels(8, Bytes(1)) == 4);
  CHECK(channels(16, Bytes(1)) == 2);
  CHECK(channels(32, Bytes(1)) == 1);
  CHECK(channels(72, Bytes(1)) == 1);
}

TEST_CASE("a pair inside a domain takes twice the channels while a part is above 16 MiB") {
  const Setup setup("dgx-superpod-b200", 1);
  const auto channels = [&](Bytes bytes) {
    return nvlink_pair_channels(setup.cluster.spec(), 8, bytes);
  };
  CHECK(channels(kMiB * 64) == 4);
  CHECK(channels(kMiB * 64 + Bytes(1)) == 8);
  CHECK(channels(kMiB * 128) == 8);
  CHECK(channels(kMiB * 256) == 16);
  CHECK(channels(kMiB * 512) == 32);
  CHECK(channels(kMiB * 4096) == 32);
}

TEST_CASE("a pair over the network has 2 channels, by version fewer or more in large groups") {
  const auto channels = [](NcclVersion version, int ranks) {
    const Setup setup("dgx-superpod-h100", 1, version);
    return network_pair_channels(setup.environment(), ranks, kMiB);
  };
  CHECK(channels({2, 19, 4}, 1024) == 2);
  CHECK(channels({2, 20, 5}, 64) == 2);
  CHECK(channels({2, 20, 5}, 65) == 1);
  CHECK(channels({2, 28, 9}, 1024) == 1);
  // From 2.29 on: 50 / 14 GB/s, rounded up, is 4.
  CHECK(channels({2, 29, 2}, 2) == 4);
  CHECK(channels({2, 29, 2}, 64) == 4);
  CHECK(channels({2, 29, 2}, 65) == 2);
  CHECK(channels({2, 29, 2}, 128) == 2);
  CHECK(channels({2, 29, 2}, 256) == 1);
}

// Measured on 16 B200 with 4 channels a peer: sends of 512 KiB take as long as with 2, of 1 MiB
// less.
TEST_CASE("a pair over the network starts on its share of 32 channels") {
  Setup setup("dgx-superpod-h100", 2);
  setup.settings.p2p_channels_per_peer = Sourced<int>{4, ""};
  const auto channels = [&](Bytes bytes) {
    return network_pair_channels(setup.environment(), 16, bytes);
  };
  CHECK(channels(Bytes(1)) == 2);
  CHECK(channels(Bytes(512 << 10)) == 2);
  CHECK(channels(kMiB) == 4);
  CHECK(channels(kMiB * 1024) == 4);
}

TEST_CASE("NCCL_NCHANNELS_PER_NET_PEER goes before the default") {
  Setup setup("dgx-superpod-h100", 1);
  setup.settings.p2p_channels_per_peer = Sourced<int>{4, ""};
  CHECK(network_pair_channels(setup.environment(), 1024, kMiB * 2) == 4);
}

}  // namespace simtrain::testing::channels_test
