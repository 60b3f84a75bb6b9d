#include <doctest/doctest.h>

#include "sim/collectives/group_links.h"
#include "sim/collectives/libraries/library_maps.h"
#include "sim/collectives/libraries/rccl/rccl_library.h"
#include "tests/collectives/environment.h"
#include "tests/collectives/symbolic.h"

namespace simtrain::testing::rccl_test {

namespace {

constexpr std::array kReducing{Collective::all_reduce, Collective::all_gather,
                               Collective::reduce_scatter};
constexpr Bytes kLarge = kMiB * 1024;

/// Nodes of MI300X and RCCL as it comes.
struct Mesh {
  explicit Mesh(int nodes, RcclSettings rccl = usual_rccl())
      : setup("oci-mi300x", nodes), settings(std::move(rccl)) {}
  [[nodiscard]] RcclEnvironment environment() const { return {setup.cluster.spec(), settings}; }
  [[nodiscard]] TransferCost plan(Collective collective, Bytes bytes, int ranks) const {
    return rccl_call({collective, bytes, setup.layout(ranks)}, environment());
  }
  [[nodiscard]] const RcclGpuSpec& gpu() const { return *setup.cluster.spec().gpu.rccl; }
  /// Of one xGMI link, as Simple uses it.
  [[nodiscard]] double link() const {
    return setup.cluster.spec().gpu.nvlink.bandwidth.value.value() / 7 * gpu().simple.link_share;
  }

  Setup setup;
  RcclSettings settings;
};

double bus_rate(const TransferCost& cost) {
  return static_cast<double>(cost.wire.value()) / to_seconds(cost.alone() - cost.latency);
}

}  // namespace

TEST_CASE("a large call in a mesh has a link of each other rank") {
  const Mesh mesh(1);
  for (const Collective collective : kReducing) {
    for (int ranks = 2; ranks <= 8; ++ranks) {
      const TransferCost cost = mesh.plan(collective, kLarge, ranks);
      CAPTURE(name_of(collective));
      CAPTURE(ranks);
      CHECK(cost.algorithm == Algorithm::ring);
      CHECK(cost.protocol == Protocol::simple);
      CHECK(bus_rate(cost) == doctest::Approx((ranks - 1) * mesh.link()).epsilon(1e-6));
      const int rounds = collective == Collective::all_reduce ? 2 : 1;
      CHECK(cost.latency == mesh.gpu().simple.base + rounds * (ranks - 1) * mesh.gpu().simple.hop);
    }
  }
}

TEST_CASE("MSCCL takes calls up to its size in as many hops as rounds, whatever the ranks") {
  const Mesh mesh(1);
  const TransferCost small = mesh.plan(Collective::all_reduce, Bytes(64 << 10), 8);
  CHECK(small.algorithm == Algorithm::mesh);
  CHECK(small.latency == mesh.plan(Collective::all_reduce, Bytes(64 << 10), 4).latency);
  CHECK(mesh.plan(Collective::all_reduce, kMiB * 4, 8).algorithm == Algorithm::mesh);
  CHECK(mesh.plan(Collective::all_reduce, kMiB * 5, 8).algorithm == Algorithm::ring);
  CHECK(mesh.plan(Collective::broadcast, kMiB, 8).algorithm == Algorithm::ring);
  RcclSettings off = usual_rccl();
  off.msccl.value = false;
  const TransferCost ring = Mesh(1, off).plan(Collective::all_reduce, Bytes(64 << 10), 8);
  CHECK(ring.algorithm == Algorithm::ring);
  CHECK(ring.alone() > small.alone());
  CHECK(Mesh(2).plan(Collective::all_reduce, kMiB, 16).algorithm == Algorithm::ring);
}

TEST_CASE("a message in a mesh has one link, an all-to-all all of them") {
  const Mesh mesh(1);
  const TransferCost message =
      rccl_send_receive(kLarge, Distance::nvlink_domain, mesh.environment());
  CHECK(message.limit == doctest::Approx(mesh.link()));
  const TransferCost all = mesh.plan(Collective::all_to_all, kLarge, 8);
  CHECK(bus_rate(all) == doctest::Approx(7 * mesh.link()).epsilon(1e-6));
}

TEST_CASE("between nodes the NICs bind, and one rank a node has one of them") {
  const Mesh mesh(4);
  const double nic = mesh.setup.cluster.spec().usable_nic_bandwidth().value();
  CHECK(bus_rate(mesh.plan(Collective::all_gather, kLarge, 32)) ==
        doctest::Approx(8 * std::min(nic, mesh.link())).epsilon(1e-6));
  const TransferCost one =
      rccl_call({Collective::all_gather, kLarge, mesh.setup.layout(4, 1)}, mesh.environment());
  CHECK(bus_rate(one) == doctest::Approx(nic).epsilon(1e-6));
  CHECK(one.load.nvlink == 0);
}

TEST_CASE("the all-pairs messages give every rank what its collective promises") {
  const AlgorithmRow row = mesh_row();
  for (const Collective collective : kReducing) {
    for (int ranks = 1; ranks <= 8; ++ranks) {
      const GroupShape shape{1, ranks};
      const SymbolicRun run(collective, shape, row.schedule(collective, shape));
      CAPTURE(name_of(collective));
      CAPTURE(ranks);
      CHECK(run.failure().empty());
      for (int rank = 0; rank < ranks; ++rank) {
        CHECK(run.sent(rank).nvlink ==
              doctest::Approx(row.sent(collective, 1, shape, rank).nvlink));
        CHECK(run.sent(rank).nic == 0);
      }
    }
  }
}

TEST_CASE("a group loads only the links between its own ranks") {
  const Mesh mesh(1);
  const GroupLinks links(mesh.setup.cluster);
  for (const int ranks : {2, 4, 8}) {
    std::vector<int> gpus;
    for (int gpu = 0; gpu < ranks; ++gpu) gpus.push_back(gpu);
    const TransferCost cost = mesh.plan(Collective::all_gather, kLarge, ranks);
    const std::vector<LinkShare> loaded = links.of_call(cost, gpus, gpus);
    CHECK(loaded.size() == static_cast<std::size_t>(ranks * (ranks - 1)));
    for (const LinkShare& link : loaded) CHECK(link.share == doctest::Approx(1.0 / (ranks - 1)));
    const double rate = idle_rate(mesh.setup.cluster, links, cost, gpus);
    CHECK(rate == doctest::Approx(cost.limit).epsilon(1e-6));
  }
}

TEST_CASE("two groups of a node do not share a link of the mesh") {
  const Mesh mesh(1);
  const GroupLinks links(mesh.setup.cluster);
  const TransferCost cost = mesh.plan(Collective::all_gather, kLarge, 4);
  const std::vector<LinkShare> a = links.of_call(cost, {0, 1, 2, 3}, {0, 1, 2, 3});
  for (const LinkShare& link : links.of_call(cost, {4, 5, 6, 7}, {4, 5, 6, 7})) {
    CHECK(std::none_of(a.begin(), a.end(),
                       [&](const LinkShare& other) { return other.link == link.link; }));
  }
}

TEST_CASE("overrides of RCCL change its settings alone") {
  LibraryOverrides overrides;
  overrides.rccl.msccl = false;
  overrides.nccl.nvls = false;
  const CommunicationLibrary changed =
      with_overrides(usual_library(rccl_row()), overrides, "scenario");
  const RcclSettings* rccl = rccl_settings_of(changed);
  REQUIRE(rccl != nullptr);
  CHECK(!rccl->msccl.value);
  CHECK(rccl->msccl.source == "scenario");
  CHECK(rccl->msccl_largest.value == usual_rccl().msccl_largest.value);
  CHECK(overrides_of(changed).rccl.msccl == false);
  CHECK(!overrides_of(changed).nccl.nvls);
}

}  // namespace simtrain::testing::rccl_test
