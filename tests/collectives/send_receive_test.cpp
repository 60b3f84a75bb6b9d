#include <cmath>

#include <doctest/doctest.h>

#include "tests/collectives/environment.h"

namespace simtrain::testing::send_receive_test {

namespace {

TransferCost pair(const Setup& setup, Distance distance, Bytes bytes = kMiB * 64, int ranks = 2) {
  return nccl_send_receive(bytes, distance, setup.environment(), ranks);
}

TransferCost all_to_all(const Setup& setup, Bytes bytes, int ranks) {
  return nccl_all_to_all({Collective::all_to_all, bytes, setup.layout(ranks)}, setup.environment());
}

/// What two limits leave that hold at once, by hand.
double both(double one, double other) {
  return 1 / std::pow(std::pow(1 / one, 5) + std::pow(1 / other, 5), 0.2);
}

}  // namespace

// A channel moves a chunk in the turn-around (10 us) plus the chunk at the NIC's usable rate (50
// GB/s * 0.94 = 47 GB/s on A4).
TEST_CASE("a pair over the network moves a chunk per turn-around on each channel, by hand") {
  Setup setup("gcp-a4", 28);
  // 131072 B / (10 us + 2.788766 us) = 10.248995 GB/s a channel, two of them
  CHECK(pair(setup, Distance::unit).limit == doctest::Approx(both(47e9, 20.49799e9)).epsilon(1e-6));
  setup.settings.p2p_channels_per_peer = Sourced<int>{4, ""};
  CHECK(pair(setup, Distance::unit).limit == doctest::Approx(both(47e9, 40.99598e9)).epsilon(1e-6));
  CHECK(pair(setup, Distance::unit).sms == 4);
}

TEST_CASE("large groups and versions change the channels of a pair over the network") {
  Setup setup("gcp-a4", 28);
  const double channel = 10.248995e9;
  CHECK(pair(setup, Distance::unit, kMiB, 224).limit ==
        doctest::Approx(both(47e9, channel)).epsilon(1e-6));
  setup.settings.version.value = {2, 29, 2};
  CHECK(pair(setup, Distance::unit).limit ==
        doctest::Approx(both(47e9, 4 * channel)).epsilon(1e-6));
}

TEST_CASE("large chunks on enough channels fill the NIC and no more") {
  Setup setup("gcp-a4", 28);
  setup.settings.p2p_net_chunk.value = kMiB * 2;  // 2 MiB / (10 us + 44.62 us) = 38.4 GB/s each
  for (const Distance distance : {Distance::unit, Distance::fabric}) {
    CHECK(pair(setup, distance).limit > 0.98 * 47e9);
    CHECK(pair(setup, distance).limit < 47e9);
  }
}

// H100: 18 GB/s a channel, 322 GB/s for all, 11.3 us before; LL 5.3 us and a hop of 0.87 us.
TEST_CASE("a pair in one NVLink domain has its channels' share of the links") {
  const Setup h100("dgx-superpod-h100", 1);
  CHECK(pair(h100, Distance::nvlink_domain).limit == doctest::Approx(16 * 18e9));
  CHECK(pair(h100, Distance::nvlink_domain).sms == 16);
  CHECK(pair(h100, Distance::nvlink_domain).latency == Duration(11'300'000));
  CHECK(pair(h100, Distance::nvlink_domain, kMiB * 64, 8).limit == doctest::Approx(4 * 18e9));
  CHECK(pair(h100, Distance::nvlink_domain, kMiB * 128, 8).limit == doctest::Approx(8 * 18e9));
  CHECK(pair(h100, Distance::nvlink_domain, kMiB, 64).limit == doctest::Approx(18e9));
}

// Each of the 16 channels at 0.54 of what one of the 24 of a ring has of 190 GB/s.
TEST_CASE("messages up to 16 KiB for each channel that a pair may have go by LL inside a domain") {
  const Setup h100("dgx-superpod-h100", 1);
  const TransferCost most = pair(h100, Distance::nvlink_domain, Bytes(512 << 10));
  CHECK(most.protocol == Protocol::ll);
  CHECK(most.latency == Duration(6'170'000));
  CHECK(most.limit == doctest::Approx(16 * 0.54 * 190e9 / 24));
  const TransferCost more = pair(h100, Distance::nvlink_domain, Bytes((512 << 10) + 1));
  CHECK(more.protocol == Protocol::simple);
}

TEST_CASE("from NCCL 2.29 on messages of more than 16 KiB leave LL inside a domain") {
  const Setup h100("dgx-superpod-h100", 1, {2, 29, 2});
  CHECK(pair(h100, Distance::nvlink_domain, Bytes(16 << 10)).protocol == Protocol::ll);
  CHECK(pair(h100, Distance::nvlink_domain, Bytes((16 << 10) + 1)).protocol == Protocol::simple);
}

// Vultr acceptance report, sends around 16 B200 of two nodes: 14.5 us up to 8 KiB, 30 us at 64 KiB.
TEST_CASE("a Simple message over the network takes one of its steps at least") {
  const Setup setup("vultr-b200", 2, {2, 27, 3});
  const auto microseconds = [&](std::int64_t bytes) {
    return to_seconds(pair(setup, Distance::unit, Bytes(bytes), 16).alone()) * 1e6;
  };
  CHECK(microseconds(512) == doctest::Approx(14.57).epsilon(0.05));
  CHECK(microseconds(8 << 10) == doctest::Approx(15.12).epsilon(0.08));
  CHECK(microseconds(32 << 10) == doctest::Approx(20.61).epsilon(0.08));
  CHECK(microseconds(64 << 10) == doctest::Approx(29.81).epsilon(0.05));
  CHECK(microseconds(128 << 10) == doctest::Approx(32.71).epsilon(0.12));
  CHECK(microseconds(1 << 20) == doctest::Approx(68.03).epsilon(0.06));
}

// Measured on 8 B200: 84 GB/s at 64 MiB, 168 at 128 MiB, 331 at 256 MiB (NVIDIA/nccl-tests
// sendrecv_perf).
TEST_CASE("sends around 8 B200 double their bandwidth from 64 to 256 MiB") {
  const Setup b200("dgx-superpod-b200", 1);
  for (const auto& [mebibytes, measured] : {std::pair{64, 84e9}, {128, 168e9}, {256, 331e9}}) {
    const TransferCost cost = b200.plan(Collective::send_receive, kMiB * mebibytes, 8);
    const double rate = static_cast<double>(cost.bytes.value()) / to_seconds(cost.alone());
    const auto& shown = mebibytes;
    CAPTURE(shown);
    CHECK(rate / measured > 0.92);
    CHECK(rate / measured < 1.08);
  }
}

TEST_CASE("a pair in two units takes two switches and cables longer than one below a leaf") {
  const Setup setup("gcp-a4", 28);
  CHECK(pair(setup, Distance::unit).latency == Duration(18'500'000));
  CHECK(pair(setup, Distance::fabric).latency ==
        Duration(18'500'000) + 2 * Duration(650'000 + 150'000));
}

TEST_CASE("a pair sends its whole message over NVLink or NIC") {
  const Setup setup("gcp-a4", 28);
  for (const Distance distance : {Distance::nvlink_domain, Distance::unit, Distance::fabric}) {
    const TransferCost cost = pair(setup, distance);
    CHECK(cost.collective == Collective::send_receive);
    CHECK(cost.algorithm == Algorithm::direct);
    CHECK(cost.wire == kMiB * 64);
    CHECK(cost.bytes == kMiB * 64);
    CHECK(cost.load == (distance == Distance::nvlink_domain ? LinkLoad{1, 0} : LinkLoad{0, 1}));
  }
}

TEST_CASE("an empty message takes the latency alone") {
  const Setup setup("gcp-a4", 28);
  const TransferCost cost = pair(setup, Distance::unit, Bytes(0));
  CHECK(cost.alone() == cost.latency);
}

TEST_CASE("send and receive of a group go as far as the farthest neighbours of its ring") {
  const Setup setup("dgx-superpod-h100", 64);
  const auto load = [&](int ranks) {
    return setup.plan(Collective::send_receive, kMiB, ranks).load;
  };
  CHECK(load(8) == LinkLoad{1, 0});
  CHECK(load(16) == LinkLoad{0, 1});
  CHECK(setup.plan(Collective::send_receive, kMiB, 512).latency -
            setup.plan(Collective::send_receive, kMiB, 16).latency ==
        setup.cluster.spec().fabric.level_latency());
}

TEST_CASE("an all-to-all over nodes is slower than inside one, by the NICs") {
  const Setup setup("dgx-superpod-h100", 4);
  const TransferCost near = all_to_all(setup, kMiB * 1024, 8);
  const TransferCost far = all_to_all(setup, kMiB * 1024, 32);
  // 7/8 over NVLink, at 322 GB/s; of 32 ranks 24 lie beyond the NIC, 8 sends of 2 channels at once,
  // each a chunk of 128 KiB in 43 us and the time of its bytes.
  CHECK(near.load.nic == 0);
  CHECK(near.load.nvlink == doctest::Approx(1));
  CHECK(near.limit == doctest::Approx(322e9).epsilon(0.01));
  CHECK(far.load.nvlink == doctest::Approx(7.0 / 31));
  CHECK(far.load.nic == doctest::Approx(24.0 / 31));
  const double channel = 131072 / (43e-6 + 131072 / 48.5e9);
  CHECK(far.limit == doctest::Approx(both(48.5e9, 16 * channel) * 31 / 24));
}

TEST_CASE("an all-to-all of small messages goes by LL") {
  const Setup setup("dgx-superpod-h100", 1);
  CHECK(all_to_all(setup, kMiB * 4, 8).protocol == Protocol::ll);
  CHECK(all_to_all(setup, kMiB * 4 + Bytes(8), 8).protocol == Protocol::simple);
}

}  // namespace simtrain::testing::send_receive_test
