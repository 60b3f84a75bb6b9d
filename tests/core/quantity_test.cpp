#include "sim/core/quantity.h"

#include <concepts>
#include <limits>

#include <doctest/doctest.h>

namespace simtrain::testing::quantity_test {

namespace {
template <class A, class B>
concept Added = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Compared = requires(A a, B b) {
  a < b;
};
}  // namespace

TEST_CASE("quantities of different dimension do not mix") {
  static_assert(Added<Bytes, Bytes> && Compared<Bytes, Bytes>);
  static_assert(!Added<Bytes, Bandwidth> && !Added<Bytes, Flops> && !Added<Bytes, int>);
  static_assert(!Compared<Bytes, Bandwidth> && !Compared<Flops, FlopRate>);
  static_assert(!std::convertible_to<std::int64_t, Bytes> && !std::convertible_to<Bytes, double>);
}

TEST_CASE("bytes over bandwidth and work over rate are durations") {
  CHECK(Bytes(1'000'000) / Bandwidth(1e9) == std::chrono::milliseconds(1));
  CHECK(Flops(2e12) / FlopRate(1e15) == std::chrono::milliseconds(2));
}

TEST_CASE("seconds become picoseconds by rounding to nearest") {
  CHECK(to_duration(0) == Duration(0));
  CHECK(to_duration(1.4e-12) == Duration(1));
  CHECK(to_duration(1.6e-12) == Duration(2));
  CHECK(to_duration(-1.6e-12) == Duration(-2));
  CHECK(to_duration(1.0 / 3) == Duration(333'333'333'333));
  CHECK(to_duration(2.0 / 3) == Duration(666'666'666'667));
}

TEST_CASE("seconds beyond 53 days saturate on both sides, so that two of them still add up") {
  const Duration most = to_duration(1e300);
  CHECK(most == Duration((std::int64_t{1} << 62U) - 1));
  CHECK(to_duration(std::numeric_limits<double>::infinity()) == most);
  CHECK(to_duration(std::numeric_limits<double>::quiet_NaN()) == most);
  CHECK(to_duration(-1e300) == Duration(-(std::int64_t{1} << 62U)));
  CHECK(most + most > most);
  CHECK(Bytes(1) / Bandwidth(0) == most);
}

TEST_CASE("picoseconds become seconds") {
  CHECK(to_seconds(std::chrono::milliseconds(250)) == 0.25);
  CHECK(to_seconds(Duration(-1)) == -1e-12);
}

}  // namespace simtrain::testing::quantity_test
