#include <algorithm>
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "sim/collectives/libraries/nccl/nccl_algorithm.h"
#include "tests/collectives/environment.h"
#include "tests/collectives/symbolic.h"
#include "tests/core/sanitized.h"

namespace simtrain::testing::schedule_test {

namespace {

struct Case {
  NcclAlgorithm row;
  Collective collective;
  GroupShape shape;
  [[nodiscard]] std::string text() const {
    return fmt::format("{} {}, {} domains of {}", name_of(row.algorithm), name_of(collective),
                       shape.domains, shape.per_domain);
  }
  [[nodiscard]] CollectiveRequest request() const {
    CollectiveRequest request{collective, Bytes(1 << 20), {}};
    request.layout.ranks = shape.ranks();
    request.layout.domains = shape.domains;
    request.layout.fewest_per_domain = shape.per_domain;
    return request;
  }
};

/// 1 to 9 domains of 1 to 8 ranks, and others of up to 64 ranks.
std::vector<GroupShape> shapes() {
  std::vector<GroupShape> result;
  result.reserve(100);
  for (int domains = 1; domains <= 9; ++domains) {
    for (int per_domain = 1; per_domain <= 8; ++per_domain) result.push_back({domains, per_domain});
  }
  std::mt19937_64 random(20250611);
  while (result.size() < 100) {
    const int domains = 1 + static_cast<int>(random() % 64);
    const int per_domain = 1 + static_cast<int>(random() % static_cast<unsigned>(64 / domains));
    if (domains > 9 || per_domain > 8) result.push_back({domains, per_domain});
  }
  return result;
}

/// Every algorithm with every collective and shape that some NCCL does it for.
std::vector<Case> cases() {
  Setup setup("dgx-superpod-h100", 1, {2, 29, 2});
  setup.settings.collnet = Sourced<bool>{true, ""};
  std::vector<NcclAlgorithm> rows(nccl_algorithms().begin(), nccl_algorithms().end());
  rows.push_back(direct_row());
  std::vector<Case> result;
  for (const NcclAlgorithm& row : rows) {
    for (const Collective collective : kCollectives) {
      for (const GroupShape& shape : shapes()) {
        const Case one{row, collective, shape};
        if (row.offers(one.request(), setup.environment(), Protocol::simple)) result.push_back(one);
      }
    }
  }
  return result;
}

bool close(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max({1.0, a, b}); }

}  // namespace

TEST_CASE("every algorithm is put to the test with all that it does") {
  std::map<std::string_view, std::map<std::string_view, int>> shapes_of;
  for (const Case& one : cases()) ++shapes_of[name_of(one.row.algorithm)][name_of(one.collective)];
  const std::map<std::string_view, std::map<std::string_view, int>> expected{
      {"ring",
       {{"all_reduce", 100}, {"all_gather", 100}, {"reduce_scatter", 100}, {"broadcast", 100}}},
      {"tree", {{"all_reduce", 100}}},
      {"nvls", {{"all_reduce", shapes_of["nvls"]["all_reduce"]}}},
      {"nvls-tree", {{"all_reduce", shapes_of["nvls-tree"]["all_reduce"]}}},
      {"collnet-direct", {{"all_reduce", shapes_of["collnet-direct"]["all_reduce"]}}},
      {"collnet-chain", {{"all_reduce", shapes_of["collnet-direct"]["all_reduce"]}}},
      {"pat",
       {{"all_gather", shapes_of["pat"]["all_gather"]},
        {"reduce_scatter", shapes_of["pat"]["all_gather"]}}},
      {"direct", {{"alltoall", 100}, {"send_receive", 100}}}};
  CHECK(shapes_of == expected);
  CHECK(shapes_of["nvls"]["all_reduce"] >= 6);        // one domain of 3 to 8
  CHECK(shapes_of["nvls-tree"]["all_reduce"] >= 48);  // 2 to 9 domains of 3 to 8
  CHECK(shapes_of["collnet-direct"]["all_reduce"] >= 64);
  CHECK(shapes_of["pat"]["all_gather"] >= 8);
}

TEST_CASE("every schedule brings all data to where the collective promises it, once") {
  for (const Case& one : thinned(cases())) {
    const SymbolicRun run(one.collective, one.shape, one.row.schedule(one.collective, one.shape));
    CAPTURE(one.text());
    REQUIRE(run.failure() == "");
  }
}

TEST_CASE("every rank sends over NVLinks and NIC what the closed form says") {
  constexpr double kBytes = 1e9;
  for (const Case& one : thinned(cases())) {
    const SymbolicRun run(one.collective, one.shape, one.row.schedule(one.collective, one.shape));
    for (int rank = 0; rank < one.shape.ranks(); ++rank) {
      const SentBytes carried = run.sent(rank);
      const SentBytes closed = one.row.sent(one.collective, kBytes, one.shape, rank);
      if (close(carried.nvlink * kBytes, closed.nvlink) && close(carried.nic * kBytes, closed.nic))
        continue;
      FAIL(one.text(), ", rank ", rank, ": carried ", carried.nvlink, " and ", carried.nic,
           ", closed form ", closed.nvlink / kBytes, " and ", closed.nic / kBytes);
    }
  }
}

TEST_CASE("the load of a call is that of its busiest rank") {
  for (const Case& one : thinned(cases())) {
    // Half of its ranks' business: where a domain's last rank sends over the NIC, others do not.
    if (one.collective == Collective::send_receive || one.shape.ranks() == 1) continue;
    const SymbolicRun run(one.collective, one.shape, one.row.schedule(one.collective, one.shape));
    LinkLoad most;
    for (int rank = 0; rank < one.shape.ranks(); ++rank) {
      most.nvlink = std::max(most.nvlink, run.sent(rank).nvlink);
      most.nic = std::max(most.nic, run.sent(rank).nic);
    }
    constexpr std::int64_t kBytes = std::int64_t{1} << 40;
    const double wire =
        static_cast<double>(bus_bytes(one.collective, Bytes(kBytes), one.shape.ranks()).value()) /
        static_cast<double>(kBytes);
    const LinkLoad load = busiest_load(one.row, one.request());
    CAPTURE(one.text());
    REQUIRE(load.nvlink == doctest::Approx(most.nvlink / wire).epsilon(1e-9));
    REQUIRE(load.nic == doctest::Approx(most.nic / wire).epsilon(1e-9));
  }
}

TEST_CASE("a ring, a tree and a switch by hand: two domains of two, what rank 0 sends") {
  const GroupShape shape{2, 2};
  const auto sent = [&](const AlgorithmRow& row, Collective collective) {
    return row.sent(collective, 1200, shape, 0);
  };
  // Ring: 2 * 3/4 of the bytes, half of them over the one of two rings that leaves here.
  CHECK(sent(ring_row(), Collective::all_reduce).nvlink == doctest::Approx(900));
  CHECK(sent(ring_row(), Collective::all_reduce).nic == doctest::Approx(900));
  CHECK(sent(ring_row(), Collective::all_gather).nic == doctest::Approx(450));
  // Tree: its half up or down a chain of one, twice; to the other domain half, up in one tree and
  // down in the other.
  CHECK(sent(tree_row(), Collective::all_reduce).nvlink == doctest::Approx(1200));
  CHECK(sent(tree_row(), Collective::all_reduce).nic == doctest::Approx(600));
  // SHARP: its half once to the network.
  CHECK(sent(collnet_direct_row(), Collective::all_reduce).nic == doctest::Approx(600));
  // All-to-all: 300 to each other rank.
  CHECK(sent(direct_row(), Collective::all_to_all).nvlink == doctest::Approx(300));
  CHECK(sent(direct_row(), Collective::all_to_all).nic == doctest::Approx(600));
}

}  // namespace simtrain::testing::schedule_test
