#include <doctest/doctest.h>

#include "tests/collectives/environment.h"

using namespace simtrain;
using simtrain::testing::kMiB;
using simtrain::testing::Setup;

namespace {

TransferCost pair(const Setup& setup, Distance distance, Bytes bytes = kMiB * 64, int ranks = 2) {
  return nccl_send_receive(bytes, distance, setup.environment(), ranks);
}

TransferCost all_to_all(const Setup& setup, Bytes bytes, int ranks) {
  return nccl_all_to_all({Collective::all_to_all, bytes, setup.layout(ranks)}, setup.environment());
}

}  // namespace

// A channel moves a chunk in the turn-around (10 us) plus the chunk at the NIC's usable rate (50
// GB/s * 0.94 = 47 GB/s on A4).
TEST_CASE("a pair over the network moves a chunk per turn-around on each channel, by hand") {
  Setup setup("gcp-a4", 28);
  // 131072 B / (10 us + 2.788766 us) = 10.248995 GB/s a channel, two of them
  CHECK(pair(setup, Distance::unit).limit == doctest::Approx(20.49799e9).epsilon(1e-6));
  setup.settings.p2p_channels_per_peer = Sourced<int>{4, ""};
  CHECK(pair(setup, Distance::unit).limit == doctest::Approx(40.99598e9).epsilon(1e-6));
  CHECK(pair(setup, Distance::unit).sms == 4);
}

TEST_CASE("large groups and versions change the channels of a pair over the network") {
  Setup setup("gcp-a4", 28);
  const double channel = 10.248995e9;
  CHECK(pair(setup, Distance::unit, kMiB, 224).limit == doctest::Approx(channel).epsilon(1e-6));
  setup.settings.version.value = {2, 29, 2};
  CHECK(pair(setup, Distance::unit).limit == doctest::Approx(4 * channel).epsilon(1e-6));
}

TEST_CASE("large chunks on enough channels fill the NIC and no more") {
  Setup setup("gcp-a4", 28);
  setup.settings.p2p_net_chunk.value = kMiB * 2;  // 2 MiB / (10 us + 44.62 us) = 38.4 GB/s each
  CHECK(pair(setup, Distance::unit).limit == doctest::Approx(47e9));
  CHECK(pair(setup, Distance::fabric).limit == doctest::Approx(47e9));
}

// H100: 18 GB/s a channel, 306 GB/s for all, 10.2 us before; LL 5.3 us and a hop of 0.87 us.
TEST_CASE("a pair in one NVLink domain has its channels' share of the links") {
  const Setup h100("dgx-superpod-h100", 1);
  CHECK(pair(h100, Distance::nvlink_domain).limit == doctest::Approx(16 * 18e9));
  CHECK(pair(h100, Distance::nvlink_domain).sms == 16);
  CHECK(pair(h100, Distance::nvlink_domain).latency == Duration(10'200'000));
  CHECK(pair(h100, Distance::nvlink_domain, kMiB * 64, 8).limit == doctest::Approx(4 * 18e9));
  CHECK(pair(h100, Distance::nvlink_domain, kMiB * 128, 8).limit == doctest::Approx(8 * 18e9));
  CHECK(pair(h100, Distance::nvlink_domain, kMiB, 64).limit == doctest::Approx(18e9));
}

TEST_CASE("messages up to 16 KiB a channel go by LL inside a domain") {
  const Setup h100("dgx-superpod-h100", 1);
  const TransferCost most = pair(h100, Distance::nvlink_domain, Bytes(16 * 16 * 1024));
  CHECK(most.protocol == Protocol::ll);
  CHECK(most.latency == Duration(6'170'000));
  CHECK(most.limit == doctest::Approx(190e9));
  const TransferCost more = pair(h100, Distance::nvlink_domain, Bytes(16 * 16 * 1024 + 1));
  CHECK(more.protocol == Protocol::simple);
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
  // 7/8 over NVLink, at 306 GB/s; of 32 ranks 24 lie beyond the NIC, 8 sends of 2 channels at once,
  // each a chunk of 128 KiB in 43 us and the time of its bytes.
  CHECK(near.load.nic == 0);
  CHECK(near.load.nvlink == doctest::Approx(1));
  CHECK(near.limit == doctest::Approx(306e9).epsilon(0.01));
  CHECK(far.load.nvlink == doctest::Approx(7.0 / 31));
  CHECK(far.load.nic == doctest::Approx(24.0 / 31));
  const double channel = 131072 / (43e-6 + 131072 / 48.5e9);
  CHECK(far.limit == doctest::Approx(16 * channel * 31 / 24));
}

TEST_CASE("an all-to-all of small messages goes by LL") {
  const Setup setup("dgx-superpod-h100", 1);
  CHECK(all_to_all(setup, Bytes(8 * 16 * 1024), 8).protocol == Protocol::ll);
  CHECK(all_to_all(setup, Bytes(8 * 16 * 1024 + 8), 8).protocol == Protocol::simple);
}
