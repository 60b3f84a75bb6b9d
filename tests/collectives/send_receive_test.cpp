#include <doctest/doctest.h>

#include "tests/collectives/environment.h"

using namespace simtrain;
using simtrain::testing::kMiB;
using simtrain::testing::Setup;

namespace {

TransferCost plan(const Setup& setup, Distance distance) {
  return plan_send_receive(kMiB * 64, distance, setup.environment());
}

}  // namespace

// A channel moves a chunk in the turn-around (10 us) plus the chunk at the NIC's usable rate (50
// GB/s * 0.94 = 47 GB/s on A4).
TEST_CASE("a pair over the network moves a chunk per turn-around on each channel, by hand") {
  Setup setup("gcp-a4", 28);
  setup.settings.p2p_net_chunk.value = Bytes(131'072);
  setup.settings.p2p_channels_per_peer.value = 2;
  // 131072 B / (10 us + 2.788766 us) = 10.248995 GB/s a channel, two of them
  CHECK(plan(setup, Distance::unit).limit == doctest::Approx(20.49799e9).epsilon(1e-6));
  setup.settings.p2p_channels_per_peer.value = 4;
  CHECK(plan(setup, Distance::unit).limit == doctest::Approx(40.99598e9).epsilon(1e-6));
  CHECK(plan(setup, Distance::unit).sms == 4);
}

TEST_CASE("large chunks on enough channels fill the NIC and no more") {
  const Setup setup("gcp-a4", 28);  // 2 MiB: 2097152 / (10 us + 44.62 us) = 38.4 GB/s a channel
  CHECK(plan(setup, Distance::unit).limit == doctest::Approx(47e9));
  CHECK(plan(setup, Distance::fabric).limit == doctest::Approx(47e9));
}

TEST_CASE("a pair in one NVLink domain takes 16 channels, up to the ring's rate") {
  const Setup h100("dgx-superpod-h100", 1);
  CHECK(plan(h100, Distance::nvlink_domain).limit == 240e9);  // 16 * 15 GB/s
  CHECK(plan(h100, Distance::nvlink_domain).sms == 16);
  CHECK(plan(h100, Distance::nvlink_domain).latency == Duration(8'000'000));  // 4.6 + 3.4 us
}

TEST_CASE("a pair in two units takes two switches and cables longer than one below a leaf") {
  const Setup setup("gcp-a4", 28);
  CHECK(plan(setup, Distance::unit).latency == Duration(18'500'000));
  CHECK(plan(setup, Distance::fabric).latency ==
        Duration(18'500'000) + 2 * Duration(650'000 + 150'000));
}

TEST_CASE("a pair sends its whole message") {
  const Setup setup("gcp-a4", 28);
  for (const Distance distance : {Distance::nvlink_domain, Distance::unit, Distance::fabric}) {
    const TransferCost cost = plan(setup, distance);
    CHECK(cost.collective == Collective::send_receive);
    CHECK(cost.wire == kMiB * 64);
    CHECK(cost.bytes == kMiB * 64);
  }
}

TEST_CASE("an empty message takes the latency alone") {
  const Setup setup("gcp-a4", 28);
  const TransferCost cost = plan_send_receive(Bytes(0), Distance::unit, setup.environment());
  CHECK(cost.alone(cost.limit) == cost.latency);
}
