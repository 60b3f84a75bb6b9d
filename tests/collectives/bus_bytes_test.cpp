#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include "sim/collectives/algorithm.h"

namespace simtrain::testing::bus_bytes_test {

namespace {

constexpr std::array<std::int64_t, 16> kSizes{0,
                                              1,
                                              2,
                                              3,
                                              7,
                                              63,
                                              1000,
                                              4097,
                                              65'535,
                                              1'000'003,
                                              (1LL << 31) - 1,
                                              1LL << 31,
                                              (1LL << 40) + 1,
                                              999'999'999'999'989,
                                              99'999'999'999'999'997,
                                              100'000'000'000'000'000};

/// The part of S that each rank puts on its busiest link: 2 (n-1) / n or (n-1) / n.
void check_closed_form(Collective collective, unsigned rounds) {
  for (const std::int64_t size : kSizes) {
    for (int ranks = 1; ranks <= 64; ++ranks) {
      CAPTURE(size);
      CAPTURE(ranks);
      const std::int64_t wire = bus_bytes(collective, Bytes(size), ranks).value();
      const double closed = static_cast<double>(rounds) * static_cast<double>(size) *
                            static_cast<double>(ranks - 1) / static_cast<double>(ranks);
      REQUIRE(std::abs(static_cast<double>(wire) - closed) <= 1 + closed * 1e-15);
      // Rounded down exactly: 0 <= rounds S (n-1) - n wire < n. Unsigned, so that what both sides
      // exceed 64 bits by cancels out.
      const auto n = static_cast<std::uint64_t>(ranks);
      const std::uint64_t rest = rounds * static_cast<std::uint64_t>(size) * (n - 1) -
                                 n * static_cast<std::uint64_t>(wire);
      REQUIRE(rest < n);
    }
  }
}

}  // namespace

TEST_CASE("an all-reduce puts 2 S (n-1) / n on the wire, rounded down") {
  check_closed_form(Collective::all_reduce, 2);
}

TEST_CASE("an all-gather puts S (n-1) / n on the wire, rounded down") {
  check_closed_form(Collective::all_gather, 1);
}

TEST_CASE("a reduce-scatter puts S (n-1) / n on the wire, rounded down") {
  check_closed_form(Collective::reduce_scatter, 1);
}

TEST_CASE("an all-to-all puts S (n-1) / n on the wire, rounded down") {
  check_closed_form(Collective::all_to_all, 1);
}

TEST_CASE("a send or broadcast puts the message on the wire, whatever the ranks") {
  for (const std::int64_t size : kSizes) {
    for (const int ranks : {1, 2, 64}) {
      CHECK(bus_bytes(Collective::send_receive, Bytes(size), ranks) == Bytes(size));
      CHECK(bus_bytes(Collective::broadcast, Bytes(size), ranks) == Bytes(size));
    }
  }
}

TEST_CASE("an all-reduce puts as much on the wire as a reduce-scatter and an all-gather") {
  for (int ranks = 1; ranks <= 64; ++ranks) {
    const Bytes size(ranks * 1000);
    CHECK(bus_bytes(Collective::all_reduce, size, ranks) ==
          bus_bytes(Collective::reduce_scatter, size, ranks) +
              bus_bytes(Collective::all_gather, size, ranks));
  }
}

TEST_CASE("one rank sends nothing") {
  for (const auto& [name, collective] : EnumNames<Collective>::rows) {
    if (collective == Collective::send_receive || collective == Collective::broadcast) continue;
    const auto& shown = name;
    CAPTURE(shown);
    CHECK(bus_bytes(collective, Bytes(1 << 30), 1) == Bytes(0));
  }
}

}  // namespace simtrain::testing::bus_bytes_test
