#include "sim/workload/kernels/inner_traffic.h"

#include <doctest/doctest.h>

namespace simtrain::testing::inner_traffic_test {

namespace {

/// Over NICs and NVLinks alike.
InnerTraffic traffic(double wire, double nic) {
  InnerTraffic one;
  one.call.load = {1, nic};
  one.wire = wire;
  one.held_s = 3;
  one.moving_s = 2;
  one.delay_s = {0, 0.5, 1.5, 3.5};
  return one;
}

}  // namespace

TEST_CASE(
    "a pass ends later as its longest way does, and by all that moves where nothing hides it") {
  const Duty duty = traffic(8, 1).duty(0, 10);
  CHECK(duty.held == doctest::Approx(0.3));
  CHECK(duty.moving == doctest::Approx(0.2));
  CHECK(duty.slowdown(1) == 1);
  CHECK(duty.slowdown(1.2) == 1);  // hidden
  CHECK(duty.slowdown(1.5) == doctest::Approx(1.05));
  CHECK(duty.slowdown(1.75) == doctest::Approx(1.1));
  CHECK(duty.slowdown(3) == doctest::Approx(1.35));
  CHECK(duty.slowdown(5) == doctest::Approx(1.35 + 2 * 0.2));
}

TEST_CASE("links are held for as long as transfers last, at most all the time") {
  const Duty duty = traffic(8, 1).duty(0, 10);
  CHECK(duty.holding(1) == doctest::Approx(0.3));
  CHECK(duty.holding(2) == doctest::Approx((0.3 + 0.2) / 1.15));
  Duty busy{.kind = 0, .held = 1, .moving = 1};
  CHECK(busy.holding(2) == 1);
}

TEST_CASE("calls of another load count as bytes of the first one's kind") {
  InnerTraffic sum;
  sum.add(traffic(8, 1), 1);
  sum.add(traffic(8, 0.5), 2);
  CHECK(sum.call.load.nic == 1);
  CHECK(sum.wire == doctest::Approx(8 + 2 * 8 * 0.5));
  CHECK(sum.held_s == doctest::Approx(9));
  CHECK(sum.moving_s == doctest::Approx(6));
  CHECK(sum.delay_s[3] == doctest::Approx(3 * 3.5));
  CHECK(sum.rate() == doctest::Approx(16.0 / 6));
}

TEST_CASE("what loads no link or moves nothing adds nothing") {
  InnerTraffic sum;
  InnerTraffic none = traffic(8, 0);
  none.call.load = {};
  sum.add(none, 1);
  sum.add(traffic(0, 1), 1);
  CHECK(sum.wire == 0);
  CHECK(sum.rate() == 0);
}

}  // namespace simtrain::testing::inner_traffic_test
