#include "sim/collectives/libraries/nccl/tuning.h"

#include <doctest/doctest.h>

#include "tests/collectives/environment.h"

namespace simtrain::testing::tuning_test {

namespace {

constexpr Bytes kGiB{1 << 30};
constexpr NcclVersion k220{2, 20, 5};
constexpr NcclVersion k225{2, 25, 1};

/// Microseconds of a latency (us) and bytes at a bandwidth (GB/s).
doctest::Approx takes(double latency, Bytes bytes, double bandwidth) {
  return doctest::Approx(latency + static_cast<double>(bytes.value()) / bandwidth / 1000)
      .epsilon(1e-9);
}

/// What NCCL chooses, "nvls simple".
std::string choice(const Setup& setup, Collective collective, Bytes bytes, int ranks) {
  const TransferCost cost = setup.plan(collective, bytes, ranks);
  return std::string(name_of(cost.algorithm)) + " " + std::string(name_of(cost.protocol));
}

}  // namespace

// All constants below are those of NVIDIA/nccl src/graph/tuning.cc. A node of H100 has rings of 24
// x 15 = 360 GB/s, several nodes of 16 x 24 = 384 GB/s; one of B200 32 x 22.5 = 720 GB/s. The caps
// are for half of the channels, which are the search's own.
TEST_CASE("rings in one node of 8 H100, by hand") {
  const Setup setup("dgx-superpod-h100", 1);
  const GroupLayout node = setup.layout(8);
  const auto ring = [&](Collective collective, Bytes bytes, Protocol protocol) {
    return setup.tuning(collective, bytes, node, Algorithm::ring, protocol);
  };
  // 7 steps of a gather, 14 of an all-reduce. LL: half of 360 is more than the cap of 141.
  CHECK(ring(Collective::all_gather, kMiB, Protocol::ll) ==
        takes(6.6 + 7 * 0.6, kMiB, 141.0 * 8 / 7));
  CHECK(ring(Collective::all_reduce, kMiB, Protocol::ll) ==
        takes(6.6 + 14 * 0.6, kMiB, 141.0 * 8 / 14));
  CHECK(ring(Collective::all_reduce, kMiB, Protocol::ll128) ==
        takes(14 + 14 * 1.9, kMiB, 0.92 * 360 * 8 / 14));
  CHECK(ring(Collective::all_reduce, kGiB, Protocol::simple) ==
        takes(8.4 + 14 * 3.4, kGiB, 360.0 * 8 / 14));
  CHECK(ring(Collective::reduce_scatter, kGiB, Protocol::simple) ==
        takes(8.4 + 7 * 3.4, kGiB, 360.0 * 8 / 7));
}

TEST_CASE("up to 2.20 LL counts less of the rings: a quarter, or a third of a gather's") {
  const Setup setup("dgx-superpod-h100", 4, k220);
  const GroupLayout node = setup.layout(8);
  CHECK(setup.tuning(Collective::all_reduce, kMiB, node, Algorithm::ring, Protocol::ll) ==
        takes(6.6 + 14 * 0.6, kMiB, 87.7 * 8 / 14));  // 360 / 4 = 90 is more than the cap
  const GroupLayout pair = setup.layout(2);
  CHECK(setup.tuning(Collective::all_gather, kMiB, pair, Algorithm::ring, Protocol::ll) ==
        takes(6.6 + 0.6, kMiB, 87.7 * 2));
  // Between nodes: 62 steps, of which 2 N = 8 cross, 6 from 2.23 on; the cap is 20.4 of 384 / 4.
  CHECK(setup.tuning(Collective::all_reduce, kMiB, setup.layout(32), Algorithm::ring,
                     Protocol::ll) == takes(6.6 + 54 * 1.0 + 8 * 2.7, kMiB, 20.4 * 32 / 62));
}

TEST_CASE("rings over four nodes of H100, by hand") {
  const Setup setup("dgx-superpod-h100", 4);
  const GroupLayout nodes = setup.layout(32);
  // 62 steps, of which 6 cross. The host's part is 1 us in LL, 3 us in Simple (less than 3.4).
  CHECK(setup.tuning(Collective::all_reduce, kMiB, nodes, Algorithm::ring, Protocol::ll) ==
        takes(6.6 + 56 * 1.0 + 6 * 2.7, kMiB, 20.4 * 32 / 62));
  // Simple from 64 bytes a channel and rank on: 1.4 times the latency.
  CHECK(setup.tuning(Collective::all_reduce, kGiB, nodes, Algorithm::ring, Protocol::simple) ==
        takes(1.4 * (8.4 + 56 * 3.4 + 6 * 14), kGiB, 384.0 * 32 / 62));
  CHECK(setup.tuning(Collective::all_reduce, Bytes(64 * 16 * 32 - 1), nodes, Algorithm::ring,
                     Protocol::simple) ==
        takes(8.4 + 56 * 3.4 + 6 * 14, Bytes(64 * 16 * 32 - 1), 384.0 * 32 / 62));
  CHECK(setup.tuning(Collective::all_gather, kGiB, nodes, Algorithm::ring, Protocol::simple) ==
        takes(8.4 + 28 * 3.4 + 3 * 14, kGiB, 384.0 * 32 / 31));
}

TEST_CASE("trees, by hand") {
  const Setup setup("dgx-superpod-h100", 4);
  const auto tree = [&](const Setup& with, Bytes bytes, int ranks, Protocol protocol) {
    return with.tuning(Collective::all_reduce, bytes, with.layout(ranks), Algorithm::tree,
                       protocol);
  };
  // The latency of LL over 2 and 4 nodes; measured: 25 and 34.5 us (NVIDIA/nccl-tests issue 309).
  CHECK(tree(setup, Bytes(0), 16, Protocol::ll) == doctest::Approx(25.2));
  CHECK(tree(setup, Bytes(0), 32, Protocol::ll) == doctest::Approx(35.2));
  // From 512 MiB on, sizes are not corrected; at 256 MiB, Simple counts 0.9 of the bandwidth.
  CHECK(tree(setup, kGiB, 8, Protocol::simple) == takes(8.4 + 2 * 7 * 4.0, kGiB, 0.92 * 360 / 2));
  CHECK(tree(setup, kMiB * 256, 8, Protocol::simple) ==
        takes(8.4 + 2 * 7 * 4.0, kMiB * 256, 0.9 * 0.92 * 360 / 2));
  CHECK(tree(setup, kGiB, 8, Protocol::ll128) ==
        takes(14 + 2 * 7 * 1.25, kGiB, 7.0 / 9 * 0.92 * 360 / 2));
  CHECK(tree(setup, kGiB, 32, Protocol::simple) ==
        takes(8.4 + 2 * (7 * 4.0 + 2 * 14), kGiB, 8 * 36 / 2.0));  // less than 0.92 * 384
  const Setup old("dgx-superpod-h100", 4, {2, 22, 3});
  CHECK(tree(old, kGiB, 32, Protocol::simple) ==
        takes(2 * (7 * 28.0 + 2 * 28), kGiB, 8 * 36 / 2.0));
}

TEST_CASE("NVLS and NVLSTree, by hand") {
  const auto nvls = [](NcclVersion version, int ranks, Algorithm algorithm) {
    const Setup setup("dgx-superpod-h100", 4, version);
    return setup.tuning(Collective::all_reduce, kGiB, setup.layout(ranks), algorithm,
                        Protocol::simple);
  };
  // 8 heads of 40 GB/s, the speed below 370.8 / 8, and 4 of 60; 5/6 of them count.
  CHECK(nvls(k225, 8, Algorithm::nvls) == takes(25, kGiB, 8 * 40 * 5.0 / 6));
  CHECK(nvls(k220, 8, Algorithm::nvls) == takes(23, kGiB, 8 * 40 * 5.0 / 6));
  CHECK(nvls(k225, 4, Algorithm::nvls) == takes(25, kGiB, 4 * 60 * 5.0 / 6));
  CHECK(nvls(k225, 32, Algorithm::nvls_tree) == takes(25 + 2 * 2 * 14, kGiB, 384 * 5.0 / 6));
  // From 2.28 on, 45.5 GB/s a channel of 8 are the cap over more than two domains, over two 57.7.
  CHECK(nvls({2, 28, 3}, 32, Algorithm::nvls_tree) ==
        takes(25 + 2 * 2 * 14, kGiB, 8 * 45.5 * 5 / 6));
  CHECK(nvls({2, 28, 9}, 32, Algorithm::nvls_tree) ==
        takes(25 + 2 * 2 * 20.9, kGiB, 8 * 45.5 * 5 / 6));
  CHECK(nvls({2, 28, 9}, 16, Algorithm::nvls_tree) == takes(25 + 2 * 20.9, kGiB, 384 * 5.0 / 6));
}

TEST_CASE("SHARP and PAT, by hand") {
  const Setup setup("dgx-superpod-h100", 16);
  const GroupLayout nodes = setup.layout(4, 8);
  CHECK(setup.tuning(Collective::all_reduce, kGiB, nodes, Algorithm::collnet_direct,
                     Protocol::simple) == takes(2 * (3.7 + 7 * 0.4) + 31, kGiB, 0.85 * 384));
  CHECK(setup.tuning(Collective::all_reduce, kGiB, nodes, Algorithm::collnet_chain,
                     Protocol::simple) == takes(2 * 7 * 2.8 + 30, kGiB, 384 / 2.0));
  // One GPU of 16 nodes each: 4 x 12 GB/s.
  const GroupLayout spread = setup.layout(16, 1);
  CHECK(setup.tuning(Collective::all_gather, kMiB, spread, Algorithm::pat, Protocol::simple) ==
        takes(8 + 4 * 14 / 3.5 + 2.8 * 16, kMiB, 0.75 * 48 * 16 / 15));
  const Setup first("dgx-superpod-h100", 16, {2, 23, 4});
  CHECK(first.tuning(Collective::all_gather, kMiB, spread, Algorithm::pat, Protocol::simple) ==
        takes(8 + 4 * 14 / 3.5 + 2.8 * 16, kMiB, 0.85 * 48 * 16 / 15));
}

TEST_CASE("the cap of LL by version and architecture in a domain, by host processor over several") {
  const auto caps = [](const char* cluster, NcclVersion version) {
    const Setup setup(cluster, 4, version);
    std::vector<double> result;
    for (const int ranks : {8, 16, 32})
      result.push_back(ll_bandwidth_cap(setup.layout(ranks), setup.environment()));
    return result;
  };
  CHECK(caps("dgx-superpod-h100", {2, 20, 5}) == std::vector<double>{87.7, 39, 20.4});
  CHECK(caps("dgx-superpod-h100", {2, 21, 0}) == std::vector<double>{141, 39, 20.4});
  CHECK(caps("dgx-superpod-h100", {2, 30, 7}) == std::vector<double>{141, 39, 20.4});
  CHECK(caps("dgx-superpod-b200", {2, 24, 3}) == std::vector<double>{141, 39, 20.4});
  CHECK(caps("dgx-superpod-b200", {2, 25, 1}) == std::vector<double>{282, 39, 20.4});
  CHECK(caps("vultr-b200", {2, 27, 3}) == std::vector<double>{282, 22.5, 19});
  CHECK(caps("dgx-superpod-a100", {2, 27, 3}) == std::vector<double>{87.7, 22.5, 19});
}

// Measured on two nodes of B200: LL up to 512 KiB on Google Cloud A4 (Intel), up to 128 KiB at
// Vultr.
TEST_CASE("gathers over two nodes leave LL by their hosts' processors") {
  const auto last_ll = [](const char* cluster, NcclVersion version) {
    const Setup setup(cluster, 2, version);
    std::int64_t bytes = 1024;
    while (setup.plan(Collective::all_gather, Bytes(2 * bytes), 16).protocol == Protocol::ll)
      bytes *= 2;
    return bytes;
  };
  CHECK(last_ll("gcp-a4", {2, 26, 2}) == 512 << 10);
  CHECK(last_ll("vultr-b200", {2, 27, 3}) == 128 << 10);
}

TEST_CASE("an unoffered protocol takes for ever") {
  const Setup setup("dgx-superpod-h100", 1);
  for (const Protocol protocol : {Protocol::ll, Protocol::ll128}) {
    CHECK(std::isinf(
        setup.tuning(Collective::all_reduce, kMiB, setup.layout(8), Algorithm::nvls, protocol)));
  }
}

// Measured: AWS's tuner and nccl-tests on H100, H200 nodes.
TEST_CASE("all-reduces of 8 H100 are RING/LL up to 1 MiB and NVLS from 2 MiB on") {
  for (const NcclVersion version : {NcclVersion{2, 25, 1}, NcclVersion{2, 27, 7}}) {
    const Setup setup("dgx-superpod-h100", 1, version);
    CAPTURE(version.text());
    for (std::int64_t bytes = 8; bytes <= 1 << 20; bytes *= 2)
      CHECK(choice(setup, Collective::all_reduce, Bytes(bytes), 8) == "ring ll");
    for (std::int64_t bytes = 2 << 20; bytes <= 1LL << 34; bytes *= 2)
      CHECK(choice(setup, Collective::all_reduce, Bytes(bytes), 8) == "nvls simple");
  }
}

TEST_CASE("NVLS is taken above 4 GPUs of H100 and above 5 of B200") {
  for (const auto& [name, most] : {std::pair{"dgx-superpod-h100", 4}, {"dgx-superpod-b200", 5}}) {
    const Setup setup(name, 1, {2, 27, 7});
    const auto& shown = name;
    CAPTURE(shown);
    for (int ranks = 2; ranks <= 8; ++ranks) {
      CAPTURE(ranks);
      CHECK(choice(setup, Collective::all_reduce, kGiB, ranks) ==
            (ranks > most ? "nvls simple" : "ring simple"));
    }
  }
}

TEST_CASE("all-gathers of 8 H100 are LL up to 4 MiB, LL128 to 16 MiB, then Simple") {
  const Setup setup("dgx-superpod-h100", 1);
  for (const int size : {1, 2, 4})
    CHECK(choice(setup, Collective::all_gather, kMiB * size, 8) == "ring ll");
  for (const int size : {8, 16})
    CHECK(choice(setup, Collective::all_gather, kMiB * size, 8) == "ring ll128");
  for (const int size : {32, 64, 1024})
    CHECK(choice(setup, Collective::all_gather, kMiB * size, 8) == "ring simple");
}

TEST_CASE("2.21 keeps LL for larger messages than 2.20") {
  const auto largest_ll = [](NcclVersion version) {
    const Setup setup("dgx-superpod-h100", 1, version);
    std::int64_t bytes = 1024;
    while (setup.plan(Collective::all_gather, Bytes(bytes * 2), 8).protocol == Protocol::ll)
      bytes *= 2;
    return bytes;
  };
  CHECK(largest_ll({2, 20, 5}) < largest_ll({2, 21, 5}));
}

TEST_CASE("2.28.3 counts less for the trees of Blackwell, and nothing else for Hopper") {
  const auto tree = [](const char* cluster, NcclVersion version, Protocol protocol) {
    const Setup setup(cluster, 4, version);
    return setup.tuning(Collective::all_reduce, kGiB, setup.layout(32), Algorithm::tree, protocol);
  };
  const NcclVersion before{2, 28, 0};
  const NcclVersion after{2, 28, 3};
  // 8 channels of 20 GB/s are less than 120 / 128 of 8 * 24.
  CHECK(tree("dgx-superpod-b200", after, Protocol::ll128) ==
        takes(14 + 2 * (7 * 1.25 + 2 * 8.5), kGiB, 8 * 20 / 2.0));
  CHECK(tree("dgx-superpod-b200", before, Protocol::ll128) ==
        takes(14 + 2 * (7 * 1.25 + 2 * 8.5), kGiB, 0.92 * 384 * 120 / 128 / 2));
  CHECK(tree("dgx-superpod-h100", after, Protocol::ll128) ==
        tree("dgx-superpod-h100", before, Protocol::ll128));
}

TEST_CASE("LL128 counts less on B200 from 2.29.2 on, and a little more again from 2.29.7 on") {
  const auto gather = [](NcclVersion version) {
    const Setup setup("dgx-superpod-b200", 1, version);
    return setup.tuning(Collective::all_gather, kGiB, setup.layout(8), Algorithm::ring,
                        Protocol::ll128);
  };
  const double latency = 14 + 7 * 1.9;
  CHECK(gather({2, 28, 9}) == takes(latency, kGiB, 0.92 * 720 * 8 / 7));
  CHECK(gather({2, 29, 2}) == takes(latency, kGiB, 16 * 34.5 * 8 / 7));
  CHECK(gather({2, 29, 7}) == takes(latency, kGiB, 16 * 40.0 * 8 / 7));
}

TEST_CASE("NCCL_ALGO, NCCL_PROTO and NCCL_NVLS_ENABLE are obeyed") {
  Setup setup("dgx-superpod-h100", 4, {2, 27, 7});
  setup.settings.algo = Sourced<std::vector<Algorithm>>{{Algorithm::ring}, ""};
  CHECK(choice(setup, Collective::all_reduce, kGiB, 8) == "ring simple");
  setup.settings.algo->value = {Algorithm::tree};
  CHECK(setup.plan(Collective::all_reduce, kGiB, 8).algorithm == Algorithm::tree);
  setup.settings.algo->value = {Algorithm::tree, Algorithm::nvls};
  CHECK(choice(setup, Collective::all_reduce, kGiB, 8) == "nvls simple");
  // A gather has no tree: NCCL falls back to the ring.
  CHECK(choice(setup, Collective::all_gather, kGiB, 8) == "ring simple");
  setup.settings.algo.reset();
  setup.settings.proto = Sourced<std::vector<Protocol>>{{Protocol::ll}, ""};
  CHECK(choice(setup, Collective::all_reduce, kGiB, 8) == "ring ll");
  CHECK(setup.plan(Collective::all_reduce, kGiB, 32).protocol == Protocol::ll);
  setup.settings.proto->value = {Protocol::ll128};
  CHECK(choice(setup, Collective::all_gather, kGiB, 8) == "ring ll128");
  setup.settings.proto.reset();
  setup.settings.nvls.value = false;
  CHECK(choice(setup, Collective::all_reduce, kGiB, 8) == "ring simple");
  CHECK(setup.plan(Collective::all_reduce, kGiB, 32).algorithm != Algorithm::nvls_tree);
}

TEST_CASE("SHARP is used where it is enabled and the fabric has it") {
  Setup ib("dgx-superpod-h100", 4);
  Setup roce("gcp-a4", 4);
  for (Setup* setup : {&ib, &roce})
    setup->settings.algo =
        Sourced<std::vector<Algorithm>>{{Algorithm::collnet_direct, Algorithm::ring}, ""};
  CHECK(ib.plan(Collective::all_reduce, kGiB, 32).algorithm == Algorithm::ring);
  for (Setup* setup : {&ib, &roce}) setup->settings.collnet = Sourced<bool>{true, ""};
  CHECK(ib.plan(Collective::all_reduce, kGiB, 32).algorithm == Algorithm::collnet_direct);
  CHECK(ib.plan(Collective::all_reduce, kGiB, 8).algorithm == Algorithm::ring);
  CHECK(roce.plan(Collective::all_reduce, kGiB, 32).algorithm == Algorithm::ring);
}

TEST_CASE("PAT gathers small parts over many nodes with one GPU each, from 2.23 on") {
  const auto chosen = [](NcclVersion version, int nodes, int per_node) {
    const Setup setup("dgx-superpod-h100", 32, version);
    return nccl_collective({Collective::all_gather, kMiB * 8, setup.layout(nodes, per_node)},
                           setup.environment())
        .algorithm;
  };
  CHECK(chosen({2, 23, 4}, 32, 1) == Algorithm::pat);
  CHECK(chosen({2, 22, 3}, 32, 1) == Algorithm::ring);
  CHECK(chosen({2, 23, 4}, 16, 2) == Algorithm::ring);
}

}  // namespace simtrain::testing::tuning_test
