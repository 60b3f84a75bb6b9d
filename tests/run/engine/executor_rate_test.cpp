// How fast ops run: shared links, limits, and what transfers take from compute (executor.h).
#include <doctest/doctest.h>

#include "sim/run/engine/executor.h"
#include "tests/run/plans.h"

namespace simtrain::testing::executor_rate_test {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A rank that computes for a second (alone) beside a transfer that lasts ten.
struct Beside {
  explicit Beside(const ComputeCost& work) {
    rank = made.rank();
    transfer = HandMade::bytes(10'000'000'000, 1e9);
    op = made.compute(rank, work);
  }
  double seconds_taken() {
    made.transfer(rank, Stream::data, GroupKind::self, transfer);
    const Timeline timeline = execute(made.plan);
    return to_seconds(timeline.span(rank, op).end);
  }
  HandMade made;
  std::uint32_t rank = 0;
  std::uint32_t op = 0;
  TransferCost transfer;
};

doctest::Approx about(double value) { return doctest::Approx(value).epsilon(1e-10); }

}  // namespace

TEST_CASE("a transfer waits its latency, then moves its bytes at its limit") {
  HandMade made;
  const auto rank = made.rank();
  made.group(GroupKind::tensor, {rank}, {{made.link(1000), 1}});
  made.transfer(rank, Stream::tensor, GroupKind::tensor,
                HandMade::bytes(300, 100, milliseconds(5)));
  CHECK(execute(made.plan).end == milliseconds(3005));
}

TEST_CASE("a transfer is no faster than its link") {
  HandMade made;
  const auto rank = made.rank();
  made.group(GroupKind::tensor, {rank}, {{made.link(50), 1}});
  made.transfer(rank, Stream::tensor, GroupKind::tensor, HandMade::bytes(300, 100));
  CHECK(execute(made.plan).end == seconds(6));
}

TEST_CASE("a transfer that loads a link with a part of its bytes is held up by that part") {
  HandMade made;
  const auto rank = made.rank();
  made.group(GroupKind::tensor, {rank}, {{made.link(50), 0.25}});
  made.transfer(rank, Stream::tensor, GroupKind::tensor, HandMade::bytes(600, 1000));
  CHECK(execute(made.plan).end == seconds(3));
}

TEST_CASE("two flows that share a link take twice as long") {
  HandMade made;
  const auto rank = made.rank();
  const int link = made.link(100);
  made.group(GroupKind::tensor, {rank}, {{link, 1}});
  made.group(GroupKind::data, {rank}, {{link, 1}});
  made.transfer(rank, Stream::tensor, GroupKind::tensor, HandMade::bytes(300, 100));
  made.transfer(rank, Stream::data, GroupKind::data, HandMade::bytes(300, 100));
  CHECK(execute(made.plan).end == seconds(6));
}

TEST_CASE("a flow that ends leaves its part of the link to the other") {
  HandMade made;
  const auto rank = made.rank();
  const int link = made.link(100);
  made.group(GroupKind::tensor, {rank}, {{link, 1}});
  made.group(GroupKind::data, {rank}, {{link, 1}});
  const auto small =
      made.transfer(rank, Stream::tensor, GroupKind::tensor, HandMade::bytes(100, 100));
  const auto large = made.transfer(rank, Stream::data, GroupKind::data, HandMade::bytes(300, 100));
  const Timeline timeline = execute(made.plan);
  // Half speed for two seconds, then 200 bytes at full speed.
  CHECK(timeline.span(rank, small).end == seconds(2));
  CHECK(timeline.span(rank, large).end == seconds(4));
}

TEST_CASE("a flow that comes takes its part of the link") {
  HandMade made;
  const auto rank = made.rank();
  const int link = made.link(100);
  made.group(GroupKind::tensor, {rank}, {{link, 1}});
  made.group(GroupKind::data, {rank}, {{link, 1}});
  const auto work = made.compute(rank, seconds(1));
  const auto first =
      made.transfer(rank, Stream::tensor, GroupKind::tensor, HandMade::bytes(300, 100));
  made.transfer(rank, Stream::data, GroupKind::data, HandMade::bytes(300, 100), {work});
  const Timeline timeline = execute(made.plan);
  // 100 bytes alone, 200 at half speed; the second has 200 sent by then and 100 left.
  CHECK(timeline.span(rank, first).end == seconds(5));
  CHECK(timeline.end == seconds(6));
}

TEST_CASE("flows on different links do not disturb each other") {
  HandMade made;
  const auto rank = made.rank();
  made.group(GroupKind::tensor, {rank}, {{made.link(100), 1}});
  made.group(GroupKind::data, {rank}, {{made.link(100), 1}});
  made.transfer(rank, Stream::tensor, GroupKind::tensor, HandMade::bytes(300, 100));
  made.transfer(rank, Stream::data, GroupKind::data, HandMade::bytes(300, 100));
  CHECK(execute(made.plan).end == seconds(3));
}

TEST_CASE("compute that nothing runs beside takes its own time") {
  Beside beside(HandMade::work(seconds(1)));
  CHECK(beside.seconds_taken() == 1);
}

TEST_CASE("SMs that a transfer holds slow compute that is bound by them") {
  Beside beside(HandMade::work(seconds(1)));
  beside.transfer.sms = 20;
  CHECK(beside.seconds_taken() == about(1 / 0.8));
}

TEST_CASE("memory traffic slows compute that is bound by memory") {
  // 1 GB/s that moves 200 bytes of memory a byte: a fifth of 1 TB/s.
  Beside beside(HandMade::work(seconds(1), 0, 1));
  beside.transfer.memory_traffic = 200;
  CHECK(beside.seconds_taken() == about(1 / 0.8));
}

TEST_CASE("the overlap slowdown stretches what is bound by SMs while data moves") {
  Beside beside(HandMade::work(seconds(1), 0.5, 0));
  beside.made.plan.overlap_slowdown = 0.1;
  beside.transfer.memory_traffic = 1;
  CHECK(beside.seconds_taken() == about(0.5 * 1.1 + 0.5));
}

TEST_CASE("the overlap slowdown waits until data moves") {
  Beside beside(HandMade::work(seconds(1)));
  beside.made.plan.overlap_slowdown = 0.1;
  CHECK(beside.seconds_taken() == 1);
}

TEST_CASE("compute is slowed as the formula says by all three together") {
  Beside beside(HandMade::work(seconds(1), 0.6, 0.3));
  beside.made.plan.overlap_slowdown = 0.05;
  beside.transfer.sms = 25;
  beside.transfer.memory_traffic = 100;
  CHECK(beside.seconds_taken() == about(0.6 * 1.05 / 0.75 + 0.3 / 0.9 + 0.1));
}

TEST_CASE("a transfer takes at most half of the SMs and of the memory bandwidth") {
  Beside sms(HandMade::work(seconds(1)));
  sms.transfer.sms = 90;
  CHECK(sms.seconds_taken() == about(2));
  Beside memory(HandMade::work(seconds(1), 0, 1));
  memory.transfer.memory_traffic = 900;
  CHECK(memory.seconds_taken() == about(2));
}

TEST_CASE("compute runs at full speed again when the transfer has ended") {
  HandMade made;
  const auto rank = made.rank();
  TransferCost cost = HandMade::bytes(100, 100);
  cost.sms = 50;
  made.compute(rank, seconds(2));
  made.transfer(rank, Stream::data, GroupKind::self, cost);
  // Half a second of work in the first second, the rest at full speed.
  CHECK(to_seconds(execute(made.plan).end) == about(2.5));
}

TEST_CASE("a transfer holds its SMs while it waits for its peers and through its latency") {
  HandMade made;
  const auto waiting = made.rank();
  const auto late = made.rank();
  made.group(GroupKind::tensor, {waiting, late});
  TransferCost cost = HandMade::bytes(0, 0, seconds(1));
  cost.sms = 50;
  const auto slowed = made.compute(waiting, seconds(2));
  made.transfer(waiting, Stream::tensor, GroupKind::tensor, cost);
  const auto work = made.compute(late, seconds(3));
  made.transfer(late, Stream::tensor, GroupKind::tensor, cost, {work});
  const Timeline timeline = execute(made.plan);
  CHECK(timeline.span(late, work).end == seconds(3));
  CHECK(timeline.span(waiting, slowed).end == seconds(4));
}

TEST_CASE("memory traffic follows the rate that the flow gets") {
  HandMade made;
  const auto rank = made.rank();
  made.group(GroupKind::data, {rank}, {{made.link(1e9), 1}});
  TransferCost cost = HandMade::bytes(10'000'000'000, 4e9);
  cost.memory_traffic = 200;
  const auto op = made.compute(rank, HandMade::work(seconds(1), 0, 1));
  made.transfer(rank, Stream::data, GroupKind::data, cost);
  CHECK(to_seconds(execute(made.plan).span(rank, op).end) == about(1 / 0.8));
}

TEST_CASE("two transfers take their SMs together") {
  HandMade made;
  const auto rank = made.rank();
  TransferCost cost = HandMade::bytes(10'000, 100);
  cost.sms = 20;
  const auto op = made.compute(rank, seconds(3));
  made.transfer(rank, Stream::data, GroupKind::self, cost);
  made.transfer(rank, Stream::tensor, GroupKind::self, cost);
  CHECK(to_seconds(execute(made.plan).span(rank, op).end) == about(5));
}

TEST_CASE("in a group that computes together the slowest sets the pace") {
  HandMade made;
  const auto one = made.rank();
  const auto two = made.rank();
  made.group(GroupKind::replica, {one, two});
  TransferCost cost = HandMade::bytes(1000, 100);
  cost.sms = 20;
  const auto first = made.compute(one, HandMade::work(seconds(4)), {}, GroupKind::replica);
  const auto second = made.compute(two, HandMade::work(seconds(4)), {}, GroupKind::replica);
  made.transfer(two, Stream::data, GroupKind::self, cost);
  const Timeline timeline = execute(made.plan);
  CHECK(to_seconds(timeline.span(one, first).end) == about(5));
  CHECK(timeline.span(two, second).end == timeline.span(one, first).end);
}

TEST_CASE("transfers do not slow the compute of other ranks") {
  HandMade made;
  const auto one = made.rank();
  const auto two = made.rank();
  TransferCost cost = HandMade::bytes(1000, 100);
  cost.sms = 50;
  made.transfer(one, Stream::data, GroupKind::self, cost);
  const auto op = made.compute(two, seconds(1));
  CHECK(execute(made.plan).span(two, op).end == seconds(1));
}

}  // namespace simtrain::testing::executor_rate_test
