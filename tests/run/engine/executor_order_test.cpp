// When ops start and end: streams, dependencies, rendezvous, and programs that never finish.
#include <string>

#include <doctest/doctest.h>

#include "sim/run/engine/executor.h"
#include "tests/run/plans.h"

namespace simtrain::testing::executor_order_test {

namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

constexpr Duration kPicosecond{1};

std::string stuck(const Plan& plan) {
  try {
    execute(plan);
  } catch (const StuckProgram& error) {
    return error.what();
  }
  return "";
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an empty plan ends at once") {
  HandMade made;
  made.rank();
  CHECK(execute(made.plan).end == Duration(0));
}

TEST_CASE("ops of one stream run one after the other") {
  HandMade made;
  const auto rank = made.rank();
  const auto first = made.compute(rank, microseconds(3));
  const auto second = made.compute(rank, microseconds(4));
  const Timeline timeline = execute(made.plan);
  CHECK(timeline.span(rank, first).start == Duration(0));
  CHECK(timeline.span(rank, first).end == microseconds(3));
  CHECK(timeline.span(rank, second).start == microseconds(3));
  CHECK(timeline.end == microseconds(7));
}

TEST_CASE("ops of different streams run at the same time") {
  HandMade made;
  const auto rank = made.rank();
  made.compute(rank, seconds(2));
  const auto transfer =
      made.transfer(rank, Stream::data, GroupKind::self, HandMade::bytes(300, 100));
  const Timeline timeline = execute(made.plan);
  CHECK(timeline.span(rank, transfer).start == Duration(0));
  CHECK(timeline.end == seconds(3));
}

TEST_CASE("an op waits for all the ops that it comes after") {
  HandMade made;
  const auto rank = made.rank();
  const auto computed = made.compute(rank, seconds(1));
  const auto sent = made.transfer(rank, Stream::data, GroupKind::self, HandMade::bytes(300, 100));
  const auto last = made.transfer(rank, Stream::tensor, GroupKind::self, HandMade::bytes(100, 100),
                                  {computed, sent});
  const Timeline timeline = execute(made.plan);
  CHECK(timeline.span(rank, last).start == seconds(3));
  CHECK(timeline.end == seconds(4));
}

TEST_CASE("an op that waits holds up those behind it in its stream, not the other streams") {
  HandMade made;
  const auto rank = made.rank();
  const auto slow = made.transfer(rank, Stream::data, GroupKind::self, HandMade::bytes(500, 100));
  made.compute(rank, seconds(1), {slow});
  const auto behind = made.compute(rank, seconds(1));
  const auto beside =
      made.transfer(rank, Stream::tensor, GroupKind::self, HandMade::bytes(100, 100));
  const Timeline timeline = execute(made.plan);
  CHECK(timeline.span(rank, behind).start == seconds(6));
  CHECK(timeline.span(rank, beside).start == Duration(0));
}

TEST_CASE("a collective starts when its last member has come and ends for all together") {
  HandMade made;
  const auto early = made.rank();
  const auto late = made.rank();
  made.group(GroupKind::tensor, {early, late});
  const auto work = made.compute(late, seconds(5));
  const auto cost = HandMade::bytes(200, 100);
  const auto first = made.transfer(early, Stream::tensor, GroupKind::tensor, cost);
  const auto second = made.transfer(late, Stream::tensor, GroupKind::tensor, cost, {work});
  const Timeline timeline = execute(made.plan);
  for (const Span& span : {timeline.span(early, first), timeline.span(late, second)}) {
    CHECK(span.start == seconds(5));
    CHECK(span.end == seconds(7));
  }
}

TEST_CASE("the k-th op of each member on a group is one collective") {
  HandMade made;
  const auto one = made.rank();
  const auto two = made.rank();
  made.group(GroupKind::data, {one, two});
  const auto work = made.compute(two, seconds(10));
  const auto cost = HandMade::bytes(100, 100);
  const auto a1 = made.transfer(one, Stream::data, GroupKind::data, cost);
  const auto a2 = made.transfer(one, Stream::data, GroupKind::data, cost);
  const auto b1 = made.transfer(two, Stream::data, GroupKind::data, cost, {work});
  const auto b2 = made.transfer(two, Stream::data, GroupKind::data, cost);
  const Timeline timeline = execute(made.plan);
  CHECK(timeline.span(one, a1).start == seconds(10));
  CHECK(timeline.span(two, b1).start == seconds(10));
  CHECK(timeline.span(one, a2).start == seconds(11));
  CHECK(timeline.span(two, b2).start == seconds(11));
}

TEST_CASE("a send meets the receive of the neighbouring stage") {
  HandMade made;
  const auto first = made.rank(0);
  const auto second = made.rank(1);
  made.pair(GroupKind::to_next, first, second);
  const auto work = made.compute(first, seconds(1));
  const auto cost = HandMade::bytes(100, 100);
  const auto receive =
      made.transfer(second, Stream::receive_forward, GroupKind::from_previous, cost);
  made.transfer(first, Stream::send_forward, GroupKind::to_next, cost, {work});
  const auto then = made.compute(second, seconds(1), {receive});
  const Timeline timeline = execute(made.plan);
  CHECK(timeline.span(second, receive).start == seconds(1));
  CHECK(timeline.span(second, then).start == seconds(2));
}

TEST_CASE("a group of one needs nobody else") {
  HandMade made;
  const auto rank = made.rank();
  made.group(GroupKind::tensor, {rank});
  made.transfer(rank, Stream::tensor, GroupKind::tensor, HandMade::bytes(100, 100));
  CHECK(execute(made.plan).end == seconds(1));
}

TEST_CASE("what comes after an op starts in the picosecond of its end and not before") {
  HandMade made;
  const auto rank = made.rank();
  // 2 bytes at 3 bytes a second: 0.666... s, rounded to the nearest picosecond.
  const auto sent = made.transfer(rank, Stream::data, GroupKind::self, HandMade::bytes(2, 3));
  const auto then = made.compute(rank, kPicosecond, {sent});
  const Timeline timeline = execute(made.plan);
  CHECK(timeline.span(rank, sent).end == Duration(666'666'666'667));
  CHECK(timeline.span(rank, then).start == Duration(666'666'666'667));
  CHECK(timeline.end == Duration(666'666'666'668));
}

TEST_CASE("ops without length take no time and keep their order") {
  HandMade made;
  const auto one = made.rank();
  const auto two = made.rank();
  made.group(GroupKind::tensor, {one, two});
  const auto nothing = HandMade::bytes(0, 0);
  const auto work = made.compute(one, seconds(1));
  const auto zero = made.compute(one, Duration(0));
  made.transfer(one, Stream::tensor, GroupKind::tensor, nothing, {zero});
  const auto got = made.transfer(two, Stream::tensor, GroupKind::tensor, nothing);
  const auto last = made.compute(two, Duration(0), {got});
  const Timeline timeline = execute(made.plan);
  CHECK(timeline.span(one, work).end == seconds(1));
  CHECK(timeline.span(one, zero).start == seconds(1));
  CHECK(timeline.span(two, last).end == seconds(1));
  CHECK(timeline.end == seconds(1));
}

TEST_CASE("a transfer without bytes takes its latency") {
  HandMade made;
  const auto rank = made.rank();
  made.transfer(rank, Stream::data, GroupKind::self, HandMade::bytes(0, 0, microseconds(7)));
  CHECK(execute(made.plan).end == microseconds(7));
}

TEST_CASE("a send that nobody receives is named") {
  HandMade made;
  const auto first = made.rank(0);
  const auto second = made.rank(1);
  made.pair(GroupKind::to_next, first, second);
  const auto send =
      made.transfer(first, Stream::send_forward, GroupKind::to_next, HandMade::bytes(1, 1));
  Op& op = made.program(first).ops[send];
  op.label = Label::send;
  op.micro_batch = 5;
  op.chunk = 2;
  made.compute(second, seconds(1));
  const std::string text = stuck(made.plan);
  CHECK(holds(text, "rank 0 (stage 0): send of micro-batch 5, chunk 2"));
  CHECK(holds(text, "waits for the 2 members of its group"));
}

TEST_CASE("sends and receives that cross are named with what each waits for") {
  HandMade made;
  const auto first = made.rank(0);
  const auto second = made.rank(1);
  made.pair(GroupKind::to_next, first, second);
  made.pair(GroupKind::to_previous, second, first);
  const auto cost = HandMade::bytes(1, 1);
  const auto receive_back =
      made.transfer(first, Stream::receive_backward, GroupKind::from_next, cost);
  const auto send =
      made.transfer(first, Stream::send_forward, GroupKind::to_next, cost, {receive_back});
  const auto receive =
      made.transfer(second, Stream::receive_forward, GroupKind::from_previous, cost);
  const auto send_back =
      made.transfer(second, Stream::send_backward, GroupKind::to_previous, cost, {receive});
  made.program(first).ops[receive_back].label = Label::receive;
  made.program(first).ops[send].label = Label::send;
  made.program(second).ops[receive].label = Label::receive;
  made.program(second).ops[send_back].label = Label::send;
  const std::string text = stuck(made.plan);
  CHECK(holds(text, "the program can never finish: 4 ops wait"));
  CHECK(holds(text, "rank 0 (stage 0): receive of"));
  CHECK(holds(text, "rank 1 (stage 1): send of"));
  CHECK(holds(text, "waits for rank 1 (stage 1): receive of"));
}

TEST_CASE("a collective whose member never comes is named") {
  HandMade made;
  const auto one = made.rank();
  const auto two = made.rank();
  const auto three = made.rank();
  made.group(GroupKind::tensor, {one, two, three});
  for (const auto rank : {one, three})
    made.transfer(rank, Stream::tensor, GroupKind::tensor, HandMade::bytes(1, 1));
  made.compute(two, seconds(1));
  const std::string text = stuck(made.plan);
  CHECK(holds(text, "2 ops wait"));
  CHECK(holds(text, "rank 0 (stage 0): collective"));
  CHECK(holds(text, "rank 2 (stage 0): collective"));
  CHECK(holds(text, "waits for the 3 members of its group"));
}

TEST_CASE("of many blocked ops the first ten are named and the rest counted") {
  HandMade made;
  std::vector<std::uint32_t> ranks;
  for (int i = 0; i < 14; ++i) ranks.push_back(made.rank());
  made.group(GroupKind::tensor, ranks);
  for (std::size_t i = 0; i < 13; ++i)
    made.transfer(ranks[i], Stream::tensor, GroupKind::tensor, HandMade::bytes(1, 1));
  const std::string text = stuck(made.plan);
  CHECK(holds(text, "13 ops wait"));
  CHECK(holds(text, "rank 9 (stage 0)"));
  CHECK(!holds(text, "rank 10 (stage 0)"));
  CHECK(holds(text, "and 3 more"));
}

TEST_CASE("a timeline counts an event an activity") {
  HandMade made;
  const auto one = made.rank();
  const auto two = made.rank();
  made.group(GroupKind::tensor, {one, two});
  for (const auto rank : {one, two}) {
    made.compute(rank, seconds(1));
    made.transfer(rank, Stream::tensor, GroupKind::tensor, HandMade::bytes(1, 1));
  }
  CHECK(execute(made.plan).events == 3);
}

}  // namespace simtrain::testing::executor_order_test
