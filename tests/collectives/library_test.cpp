#include "sim/collectives/library.h"

#include <random>
#include <set>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/collectives/collective.h"
#include "sim/collectives/libraries/rccl/rccl_library.h"
#include "tests/collectives/environment.h"
#include "tests/collectives/fixed_ring.h"

namespace simtrain::testing::library_test {

namespace {

/// What the contract must hold for: all rows, and one that is no part of the program.
std::vector<const LibraryRow*> rows() {
  std::vector<const LibraryRow*> all(library_rows().begin(), library_rows().end());
  all.push_back(&fixed_ring_row());
  return all;
}

bool knows(const LibraryRow& row, const Setup& setup) {
  return row.knows == nullptr || row.knows(setup.cluster.spec().gpu);
}

/// Calls `check` with calls of every library on several clusters: any collective, any number of
/// ranks above one, any bytes up to 2^36.
template <class Check>
void for_random_calls(Check check) {
  std::mt19937_64 random(20250714);
  for (const char* cluster :
       {"dgx-superpod-h100", "gcp-a4", "dgx-superpod-gb200", "oci-mi300x", "frontier"}) {
    const Setup setup(cluster, 36);
    for (const LibraryRow* row : rows()) {
      if (!knows(*row, setup)) continue;
      const CommunicationLibrary library = usual_library(*row);
      for (int round = 0; round < 300; ++round) {
        const Collective collective = kCollectives[random() % kCollectives.size()];
        const int ranks = 2 + static_cast<int>(random() % 100);
        const Bytes bytes(static_cast<std::int64_t>(random() % (1ULL << (1 + random() % 36))));
        const CollectiveRequest request{collective, bytes, setup.layout(ranks)};
        const std::string text = fmt::format("{} {}, {} of {} ranks, {} bytes", row->name, cluster,
                                             name_of(collective), ranks, bytes.value());
        CAPTURE(text);
        check(request, LibraryEnvironment{setup.cluster.spec(), library});
      }
    }
  }
}

}  // namespace

TEST_CASE("every library has a name of its own, a line of meaning and settings as it comes") {
  std::set<std::string_view> names;
  for (const LibraryRow* row : rows()) {
    CAPTURE(row->name);
    CHECK(names.insert(row->name).second);
    CHECK(!row->meaning.empty());
    CHECK(row->meaning.find('\n') == std::string_view::npos);
    const CommunicationLibrary library = usual_library(*row);
    CHECK(library.row == row);
    CHECK(library.settings.has_value());
    for (const LibrarySwitch& one : row->switches(library.settings))
      CHECK(one.key.substr(0, row->name.size() + 1) == std::string(row->name) + ".");
  }
}

TEST_CASE("a library knows the GPUs whose files have its numbers") {
  const Setup nvidia("dgx-superpod-h100", 1);
  const Setup amd("oci-mi300x", 1);
  CHECK(knows(nccl_row(), nvidia));
  CHECK(!knows(nccl_row(), amd));
  CHECK(knows(rccl_row(), amd));
  CHECK(!knows(rccl_row(), nvidia));
  CHECK(knows(fixed_ring_row(), amd));
}

TEST_CASE("no library lists an algorithm twice") {
  for (const LibraryRow* row : library_rows()) {
    std::set<Algorithm> listed;
    for (const AlgorithmRow& algorithm : row->algorithms()) {
      CAPTURE(name_of(algorithm.algorithm));
      CHECK(listed.insert(algorithm.algorithm).second);
      CHECK(!algorithm.help.empty());
    }
    CHECK(!listed.empty());
  }
}

TEST_CASE("every library plans the call that it is asked for, in a time above zero") {
  for_random_calls([](const CollectiveRequest& request, const LibraryEnvironment& environment) {
    const TransferCost cost = plan_collective(request, environment);
    REQUIRE(cost.collective == request.collective);
    REQUIRE(cost.bytes == request.bytes);
    REQUIRE(cost.wire == bus_bytes(request.collective, request.bytes, request.layout.ranks));
    REQUIRE(cost.alone() > Duration(0));
    REQUIRE(cost.limit > 0);
    REQUIRE(cost.load.nvlink >= 0);
    REQUIRE(cost.load.nic >= 0);
    REQUIRE(!environment.library.row->kernel_name(cost).empty());
  });
}

TEST_CASE("no library takes less time for sixteen times the bytes") {
  for_random_calls([](const CollectiveRequest& request, const LibraryEnvironment& environment) {
    CollectiveRequest more = request;
    more.bytes = request.bytes * 16;
    REQUIRE(plan_collective(request, environment).alone() <=
            plan_collective(more, environment).alone());
  });
}

TEST_CASE("a call costs the same whatever was asked before") {
  for_random_calls([](const CollectiveRequest& request, const LibraryEnvironment& environment) {
    const TransferCost first = plan_collective(request, environment);
    plan_send_receive(kMiB, Distance::unit, environment);
    const TransferCost again = plan_collective(request, environment);
    REQUIRE(first.latency == again.latency);
    REQUIRE(first.limit == again.limit);
    REQUIRE(first.load == again.load);
    REQUIRE(first.algorithm == again.algorithm);
  });
}

TEST_CASE("one rank costs nothing, in any library") {
  for (const LibraryRow* row : rows()) {
    const Setup setup(row == &rccl_row() ? "oci-mi300x" : "dgx-superpod-h100", 1);
    const CommunicationLibrary library = usual_library(*row);
    for (const Collective collective : kCollectives) {
      if (collective == Collective::send_receive) continue;  // of a rank to itself: never asked
      CAPTURE(row->name);
      CAPTURE(name_of(collective));
      const TransferCost cost = plan_collective({collective, kMiB * 100, setup.layout(1)},
                                                {setup.cluster.spec(), library});
      CHECK(cost.alone() == Duration(0));
      CHECK(cost.sms == 0);
    }
  }
}

TEST_CASE("NCCL behind its row is NCCL under the stack's settings") {
  Setup setup("dgx-superpod-h100", 4);
  setup.settings.algo = Sourced<std::vector<Algorithm>>{{Algorithm::tree}, ""};
  const CommunicationLibrary library = nccl_library(setup.settings);
  const LibraryEnvironment environment{setup.cluster.spec(), library};
  for (const int ranks : {2, 8, 32}) {
    const CollectiveRequest request{Collective::all_reduce, kMiB * 1024, setup.layout(ranks)};
    const TransferCost direct = nccl_collective(request, setup.environment());
    const TransferCost planned = plan_collective(request, environment);
    CHECK(planned.algorithm == Algorithm::tree);
    CHECK(planned.latency == direct.latency);
    CHECK(planned.limit == direct.limit);
  }
  const TransferCost message = plan_send_receive(kMiB, Distance::unit, environment, 64);
  CHECK(message.sms == nccl_send_receive(kMiB, Distance::unit, setup.environment(), 64).sms);
}

TEST_CASE("the settings of a library are those of its own type, or none") {
  CHECK(nccl_settings_of(usual_library(nccl_row()))->version.value == kUsualNccl);
  CHECK(nccl_settings_of(usual_library(fixed_ring_row())) == nullptr);
}

}  // namespace simtrain::testing::library_test
