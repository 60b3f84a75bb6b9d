#include "sim/collectives/collective.h"

#include <random>

#include <doctest/doctest.h>

#include "tests/collectives/environment.h"

using namespace simtrain;
using simtrain::testing::kCollectives;
using simtrain::testing::kMiB;
using simtrain::testing::Setup;

TEST_CASE("one rank costs nothing") {
  const Setup setup("dgx-superpod-h100", 1);
  for (const Collective collective : kCollectives) {
    const TransferCost cost = setup.plan(collective, kMiB * 100, 1);
    CHECK(cost.wire == Bytes(0));
    CHECK(cost.latency == Duration(0));
    CHECK(cost.alone(cost.limit) == Duration(0));
  }
}

TEST_CASE("a plan carries its call: collective, bytes, wire bytes, SMs") {
  const Setup setup("dgx-superpod-h100", 4);
  const TransferCost near = setup.plan(Collective::all_gather, kMiB * 64, 8);
  CHECK(near.collective == Collective::all_gather);
  CHECK(near.bytes == kMiB * 64);
  CHECK(near.wire == kMiB * 56);
  CHECK(near.sms == setup.cluster.spec().gpu.nccl.ring_channels.value);
  const TransferCost far = setup.plan(Collective::all_gather, kMiB * 64, 32);
  CHECK(far.sms == setup.cluster.spec().gpu.nccl.network_channels.value);
}

TEST_CASE("time never falls when bytes grow") {
  std::mt19937_64 random(20240607);
  for (const char* name : {"dgx-superpod-h100", "gcp-a4", "dgx-superpod-gb200"}) {
    CAPTURE(name);
    Setup setup(name, 36);
    for (int round = 0; round < 500; ++round) {
      setup.settings.nvls.value = random() % 2 == 0;
      const Collective collective = kCollectives[random() % 3];
      const int ranks = 2 + static_cast<int>(random() % 100);
      const Bytes less(static_cast<std::int64_t>(random() % (1ULL << (random() % 40))));
      const Bytes more =
          less + Bytes(static_cast<std::int64_t>(random() % (1ULL << (random() % 40))));
      CAPTURE(ranks);
      CAPTURE(less.value());
      CAPTURE(more.value());
      REQUIRE(setup.time(collective, less, ranks) <= setup.time(collective, more, ranks));
    }
  }
}

TEST_CASE("latency grows with ranks, within a node and beyond") {
  const Setup setup("dgx-superpod-h100", 64);
  for (const Collective collective : kCollectives) {
    Duration before(-1);
    for (const int ranks : {1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 512}) {
      CAPTURE(ranks);
      const Duration now = setup.time(collective, Bytes(0), ranks);
      CHECK(now > before);
      before = now;
    }
  }
}

TEST_CASE("a ring inside a node takes its base latency and a hop to each other rank, by hand") {
  const Setup setup("dgx-superpod-h100", 1);
  // LL: 4.6 us + 7 * 0.8 us; twice round for an all-reduce.
  CHECK(setup.time(Collective::all_gather, Bytes(0), 8) == Duration(10'200'000));
  CHECK(setup.time(Collective::all_reduce, Bytes(0), 8) == Duration(15'800'000));
}

TEST_CASE("a ring over two nodes crosses the network at one of its steps, by hand") {
  const Setup setup("dgx-superpod-h100", 4);
  // 15 steps: 14 inside a node at 0.8 us, one between at 5 us; 4.6 us before them.
  CHECK(setup.time(Collective::all_gather, Bytes(0), 16) == Duration(20'800'000));
  // 32 ranks on 4 nodes: 28 inside, 3 between.
  CHECK(setup.time(Collective::reduce_scatter, Bytes(0), 32) == Duration(42'000'000));
}

TEST_CASE("LL carries small messages and Simple large ones") {
  for (const char* name : {"dgx-superpod-h100", "gcp-a4", "dgx-superpod-gb200"}) {
    CAPTURE(name);
    const Setup setup(name, 36);
    for (const int ranks : {2, 8, 64, 144}) {
      CAPTURE(ranks);
      for (const Collective collective : kCollectives) {
        CHECK(setup.plan(collective, Bytes(256), ranks).protocol == Protocol::ll);
        CHECK(setup.plan(collective, kMiB * 8192, ranks).protocol == Protocol::simple);
      }
    }
  }
}

TEST_CASE("a protocol, once left as messages grow, does not come back") {
  const Setup setup("dgx-superpod-h100", 8);
  for (const Collective collective : kCollectives) {
    for (const int ranks : {8, 64}) {
      Protocol before = Protocol::ll;
      for (std::int64_t size = 8; size < (1LL << 34); size *= 2) {
        const Protocol now = setup.plan(collective, Bytes(size), ranks).protocol;
        CHECK(now >= before);
        before = now;
      }
    }
  }
}

TEST_CASE("NVLS reduces only where it is enabled, in one domain and in large all-reduces") {
  Setup setup("dgx-superpod-h100", 4);
  CHECK(setup.plan(Collective::all_reduce, kMiB * 256, 8).algorithm == Algorithm::ring);
  setup.settings.nvls.value = true;
  const TransferCost nvls = setup.plan(Collective::all_reduce, kMiB * 256, 8);
  CHECK(nvls.algorithm == Algorithm::nvls);
  CHECK(nvls.sms == setup.cluster.spec().gpu.nccl.nvls_channels.value);
  CHECK(setup.plan(Collective::all_reduce, Bytes(256), 8).algorithm == Algorithm::ring);
  CHECK(setup.plan(Collective::all_reduce, kMiB * 256, 16).algorithm != Algorithm::nvls);
  CHECK(setup.plan(Collective::all_gather, kMiB * 256, 8).algorithm == Algorithm::ring);
}

TEST_CASE("a tree takes small all-reduces over many nodes from the ring") {
  const Setup setup("dgx-superpod-h100", 64);
  CHECK(setup.plan(Collective::all_reduce, Bytes(1024), 512).algorithm == Algorithm::tree);
  CHECK(setup.plan(Collective::all_reduce, Bytes(1024), 8).algorithm == Algorithm::ring);
  CHECK(setup.plan(Collective::all_gather, Bytes(1024), 512).algorithm == Algorithm::ring);
}

TEST_CASE("a plan is the quickest of what the algorithm table offers") {
  Setup setup("dgx-superpod-h100", 8);
  setup.settings.nvls.value = true;
  const NcclEnvironment environment = setup.environment();
  for (std::int64_t size = 8; size < (1LL << 32); size *= 8) {
    for (const Collective collective : kCollectives) {
      CollectiveRequest request{collective, Bytes(size), {}};
      request.layout.ranks = 8;
      const TransferCost best = plan_collective(request, environment);
      for (const AlgorithmRow& row : algorithm_rows()) {
        for (const Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple}) {
          if (!row.offers(request, environment, protocol)) continue;
          const TransferCost cost = row.cost(request, environment, protocol);
          CHECK(best.alone(best.limit) <= cost.alone(cost.limit));
          CHECK(cost.algorithm == row.algorithm);
        }
      }
    }
  }
}

TEST_CASE("a ring over nodes takes no more than the NICs of its ranks") {
  const Setup setup("dgx-superpod-h100", 4);
  const double nic = setup.cluster.spec().usable_nic_bandwidth().value();
  // One rank a node has one NIC; eight have eight, but the ring inside the node reaches 360 GB/s.
  const TransferCost one = plan_collective(
      {Collective::all_gather, kMiB * 4096, layout_of(setup.cluster, {0, 8, 16, 24})},
      setup.environment());
  CHECK(one.limit == nic);
  CHECK(setup.plan(Collective::all_gather, kMiB * 4096, 32).limit == 360e9);
}

TEST_CASE("a slower link takes longer, a faster one than the limit changes nothing") {
  const Setup setup("dgx-superpod-h100", 1);
  const TransferCost cost = setup.plan(Collective::all_gather, kMiB * 4096, 8);
  CHECK(cost.alone(cost.limit / 2) - cost.latency == 2 * (cost.alone(cost.limit) - cost.latency));
  CHECK(cost.alone(cost.limit * 2) == cost.alone(cost.limit));
}
