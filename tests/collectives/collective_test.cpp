#include <random>

#include <doctest/doctest.h>

#include "sim/collectives/libraries/nccl/nccl_algorithm.h"
#include "tests/collectives/environment.h"

namespace simtrain::testing::collective_test {

namespace {

constexpr std::array kClusters{"dgx-superpod-h100", "gcp-a4", "dgx-superpod-gb200"};

TransferCost forced(const Setup& setup, Algorithm algorithm, Bytes bytes, int ranks) {
  NcclSettings settings = setup.settings;
  settings.algo = Sourced<std::vector<Algorithm>>{{algorithm}, ""};
  const TransferCost cost = nccl_call({Collective::all_reduce, bytes, setup.layout(ranks)},
                                      {setup.cluster.spec(), settings});
  CHECK(cost.algorithm == algorithm);
  return cost;
}

/// Bytes of a size drawn evenly over the powers of two up to 2^36.
Bytes any_bytes(std::mt19937_64& random) {
  return Bytes(static_cast<std::int64_t>(random() % (1ULL << (1 + random() % 36))));
}

}  // namespace

TEST_CASE("one rank costs nothing") {
  const Setup setup("dgx-superpod-h100", 1);
  for (const Collective collective : kChosen) {
    const TransferCost cost = setup.plan(collective, kMiB * 100, 1);
    CAPTURE(name_of(collective));
    CHECK(cost.latency == Duration(0));
    CHECK(cost.alone() == Duration(0));
    CHECK(cost.load == LinkLoad{});
    CHECK(cost.sms == 0);
  }
  const TransferCost exchange = setup.plan(Collective::all_to_all, kMiB * 100, 1);
  CHECK(exchange.alone() == Duration(0));
}

TEST_CASE("a plan carries its call: collective, bytes, wire bytes") {
  const Setup setup("dgx-superpod-h100", 4);
  for (const Collective collective : kCollectives) {
    const TransferCost cost = setup.plan(collective, kMiB * 64, 8);
    CAPTURE(name_of(collective));
    CHECK(cost.collective == collective);
    CHECK(cost.bytes == kMiB * 64);
    CHECK(cost.wire == bus_bytes(collective, kMiB * 64, 8));
  }
  CHECK(setup.plan(Collective::all_gather, kMiB * 64, 8).wire == kMiB * 56);
  // What a rank sends it reads, what it receives it writes; a reduction reads its own part too.
  CHECK(setup.plan(Collective::all_gather, kMiB * 64, 8).memory_traffic == 2);
  CHECK(setup.plan(Collective::all_reduce, kMiB * 64, 8).memory_traffic == 2.5);
}

TEST_CASE("a call alone takes its latency and then its wire bytes at the limit or the links") {
  TransferCost cost;
  cost.wire = Bytes(1'000'000);
  cost.latency = std::chrono::microseconds(5);
  cost.limit = 100e9;
  CHECK(cost.alone() == std::chrono::microseconds(15));
  CHECK(cost.alone(50e9) == std::chrono::microseconds(25));
  CHECK(cost.alone(200e9) == std::chrono::microseconds(15));
}

TEST_CASE("a call too small to put a byte on the wire takes its latency") {
  const Setup setup("dgx-superpod-h100", 64);
  for (const Collective collective : kCollectives) {
    for (const int ranks : {8, 50, 512}) {
      CAPTURE(name_of(collective));
      CAPTURE(ranks);
      CHECK(setup.time(collective, Bytes(1), ranks) < std::chrono::milliseconds(2));
    }
  }
}

TEST_CASE("every algorithm and protocol takes no less time for more bytes") {
  std::mt19937_64 random(20240607);
  for (const char* name : kClusters) {
    CAPTURE(name);
    Setup setup(name, 36, {2, 27, 7});
    setup.settings.collnet = Sourced<bool>{true, ""};
    for (int round = 0; round < 300; ++round) {
      const Collective collective = kChosen[random() % 4];
      const int ranks = 2 + static_cast<int>(random() % 100);
      const Bytes less = any_bytes(random);
      const Bytes more = less + any_bytes(random);
      const GroupLayout layout = setup.layout(ranks);
      for (const NcclAlgorithm& row : nccl_algorithms()) {
        for (const Protocol protocol : kNcclProtocols) {
          if (!row.offers({collective, less, layout}, setup.environment(), protocol)) continue;
          // NVLS takes larger chunks from some sizes on, which a round more than makes good.
          const bool nvls =
              row.algorithm == Algorithm::nvls || row.algorithm == Algorithm::nvls_tree;
          const auto time = [&](Bytes bytes) {
            return row.cost({collective, bytes, layout}, setup.environment(), protocol).alone();
          };
          CAPTURE(name_of(row.algorithm));
          CAPTURE(name_of(protocol));
          CAPTURE(ranks);
          CAPTURE(less.value());
          CAPTURE(more.value());
          if (!nvls || more.value() >= 4 * less.value()) REQUIRE(time(less) <= time(more));
        }
      }
    }
  }
}

TEST_CASE("latency grows with ranks, within a node and beyond") {
  const Setup setup("dgx-superpod-h100", 64);
  for (const Collective collective : kChosen) {
    Duration before(-1);
    for (const int ranks : {1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 512}) {
      CAPTURE(name_of(collective));
      CAPTURE(ranks);
      const Duration now = setup.time(collective, Bytes(0), ranks);
      CHECK(now > before);
      before = now;
    }
  }
}

// H100: LL takes 5.3 us and 0.87 us a hop inside a node, 5 us between nodes below one leaf.
TEST_CASE("a ring takes its base latency and a hop for each step, by hand") {
  const Setup setup("dgx-superpod-h100", 4);
  CHECK(setup.time(Collective::all_gather, Bytes(0), 8) == Duration(5'300'000 + 7 * 870'000));
  CHECK(setup.time(Collective::all_reduce, Bytes(0), 8) == Duration(5'300'000 + 14 * 870'000));
  // 32 ranks of 4 nodes: 31 steps, of which the ring's 4 hops between nodes can all be one.
  CHECK(setup.time(Collective::reduce_scatter, Bytes(0), 32) ==
        Duration(5'300'000 + 27 * 870'000 + 4 * 5'000'000));
}

TEST_CASE("a tree goes up and down chains and levels, by hand") {
  const Setup setup("dgx-superpod-h100", 4);
  const TransferCost tree = setup.plan(Collective::all_reduce, Bytes(0), 32);
  CHECK(tree.algorithm == Algorithm::tree);
  CHECK(tree.protocol == Protocol::ll);
  CHECK(tree.latency == Duration(5'300'000 + 2 * (7 * 870'000 + 2 * 5'000'000)));
}

TEST_CASE("LL carries small messages and Simple large ones") {
  for (const char* name : kClusters) {
    CAPTURE(name);
    const Setup setup(name, 36);
    for (const int ranks : {2, 8, 64, 144}) {
      CAPTURE(ranks);
      for (const Collective collective : kChosen) {
        CAPTURE(name_of(collective));
        // In a rack of many ranks the switch is ahead of 2 (n-1) hops even there.
        const bool switched =
            collective == Collective::all_reduce && setup.layout(ranks).ranks_per_domain() > 32;
        CHECK(setup.plan(collective, Bytes(256), ranks).protocol ==
              (switched ? Protocol::simple : Protocol::ll));
        CHECK(setup.plan(collective, kMiB * 8192, ranks).protocol == Protocol::simple);
      }
    }
  }
}

TEST_CASE("ring, tree and NVLSTree each have their sizes over many nodes") {
  Setup setup("dgx-superpod-h100", 64);
  const Bytes small(1024);
  const Bytes large = kMiB * 4096;
  // Latency: the tree's grows by levels, the ring's by ranks.
  CHECK(forced(setup, Algorithm::tree, small, 512).alone() <
        forced(setup, Algorithm::ring, small, 512).alone());
  CHECK(forced(setup, Algorithm::ring, small, 8).alone() <
        forced(setup, Algorithm::nvls, small, 8).alone() * 2);
  CHECK(forced(setup, Algorithm::nvls, large, 8).alone() <
        forced(setup, Algorithm::ring, large, 8).alone());
  // Bandwidth: the ring sends less than the tree's twice the bytes.
  CHECK(forced(setup, Algorithm::ring, large * 16, 32).alone() <
        forced(setup, Algorithm::tree, large * 16, 32).alone());
  CHECK(setup.plan(Collective::all_reduce, small, 512).algorithm == Algorithm::tree);
  CHECK(setup.plan(Collective::all_reduce, small, 8).algorithm == Algorithm::ring);
  CHECK(setup.plan(Collective::all_gather, small, 512).algorithm == Algorithm::ring);
}

TEST_CASE("an all-reduce of two nodes exceeds the NICs, each of which carries half of the tree") {
  const Setup setup("dgx-superpod-h100", 4);
  const double nics = 8 * setup.cluster.spec().usable_nic_bandwidth().value();
  const auto rate = [&](Algorithm algorithm, int ranks) {
    const TransferCost cost = forced(setup, algorithm, kMiB * 8192, ranks);
    return static_cast<double>(cost.wire.value()) / to_seconds(cost.alone());
  };
  CHECK(rate(Algorithm::nvls_tree, 16) > nics);
  CHECK(rate(Algorithm::nvls_tree, 32) < nics);
  CHECK(rate(Algorithm::ring, 16) < nics);
  // 466 to 487 GB/s measured on two H100 nodes.
  CHECK(rate(Algorithm::nvls_tree, 16) == doctest::Approx(476e9).epsilon(0.05));
  // A NIC sends S/8 in all: half of its rank's eighth up one tree, half down the other.
  CHECK(forced(setup, Algorithm::nvls_tree, kMiB, 16).load.nic ==
        doctest::Approx(1.0 / 8 / (2.0 * 15 / 16)));
}

TEST_CASE("a ring over nodes takes no more than the NICs of its ranks and its channels") {
  const Setup setup("dgx-superpod-h100", 4);
  const auto limit = [&](int per_node) {
    return nccl_collective({Collective::all_gather, kMiB * 65536, setup.layout(4, per_node)},
                           setup.environment())
        .limit;
  };
  // One NIC has 50 GB/s * 0.97; 16 channels of 22 GB/s carry less than eight NICs. The copy of
  // the rank's own part comes on top, at 28 GB/s on each of 4 and 16 channels.
  CHECK(limit(1) == doctest::Approx(0.75 / (0.75 / 48.5e9 + 0.25 / (4 * 28e9))));
  CHECK(limit(8) == doctest::Approx(31 / (31 / 352e9 + 1 / (16 * 28e9))));
}

TEST_CASE("fewer channels take longer") {
  Setup setup("dgx-superpod-h100", 1);
  setup.settings.nvls.value = false;
  Duration before = setup.time(Collective::all_reduce, kMiB * 1024, 8);
  for (const int channels : {8, 4, 2, 1}) {
    setup.settings.max_channels = Sourced<int>{channels, ""};
    const Duration now = setup.time(Collective::all_reduce, kMiB * 1024, 8);
    CAPTURE(channels);
    CHECK(now > before);
    before = now;
  }
}

TEST_CASE("a plan is the least of NCCL's own estimates among what is on offer") {
  const Setup setup("dgx-superpod-h100", 8, {2, 27, 7});
  for (std::int64_t size = 8; size < (1LL << 32); size *= 4) {
    for (const Collective collective : kChosen) {
      for (const int ranks : {2, 8, 16, 64}) {
        const CollectiveRequest request{collective, Bytes(size), setup.layout(ranks)};
        const TransferCost best = nccl_collective(request, setup.environment());
        const double chosen =
            tuning_seconds(request, best.algorithm, best.protocol, setup.environment());
        for (const NcclAlgorithm& row : nccl_algorithms()) {
          for (const Protocol protocol : kNcclProtocols) {
            if (!row.offers(request, setup.environment(), protocol)) continue;
            CHECK(chosen <= tuning_seconds(request, row.algorithm, protocol, setup.environment()));
          }
        }
      }
    }
  }
}

}  // namespace simtrain::testing::collective_test
