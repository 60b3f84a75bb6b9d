// What holds for every plan, on seeded random ones.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "sim/run/engine/executor.h"
#include "tests/run/random_plans.h"

namespace simtrain::testing::executor_property_test {

namespace {

constexpr std::uint64_t kCases = 300;

template <class Check>
void for_every_op(const Plan& plan, const Check& check) {
  for (std::uint32_t rank = 0; rank < plan.ranks.size(); ++rank) {
    const auto& ops = plan.programs[plan.ranks[rank].program].ops;
    for (std::uint32_t op = 0; op < ops.size(); ++op) check(rank, op, ops[op]);
  }
}

}  // namespace

TEST_CASE("ops of a stream never overlap and keep their order") {
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    INFO("seed ", seed);
    const HandMade made = random_plan(seed);
    const Timeline timeline = execute(made.plan);
    std::vector<std::array<Duration, kStreams>> free(made.plan.ranks.size());
    for_every_op(made.plan, [&](std::uint32_t rank, std::uint32_t op, const Op& what) {
      Duration& until = free[rank][static_cast<std::size_t>(what.stream)];
      CHECK(timeline.span(rank, op).start >= until);
      CHECK(timeline.span(rank, op).end >= timeline.span(rank, op).start);
      until = timeline.span(rank, op).end;
      CHECK(until <= timeline.end);
    });
  }
}

TEST_CASE("no op starts before all that it comes after has ended") {
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    INFO("seed ", seed);
    const HandMade made = random_plan(seed);
    const Timeline timeline = execute(made.plan);
    for_every_op(made.plan, [&](std::uint32_t rank, std::uint32_t op, const Op& what) {
      for (const std::uint32_t before : what.after) {
        if (before != kNoOp)
          CHECK(timeline.span(rank, before).end <= timeline.span(rank, op).start);
      }
    });
  }
}

TEST_CASE("no op is faster than alone") {
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    INFO("seed ", seed);
    const HandMade made = random_plan(seed);
    const Timeline timeline = execute(made.plan);
    for_every_op(made.plan, [&](std::uint32_t rank, std::uint32_t op, const Op& what) {
      const Program& program = made.plan.programs[made.plan.ranks[rank].program];
      const Duration length = timeline.span(rank, op).end - timeline.span(rank, op).start;
      // A speed that changes on the way may lose a picosecond to rounding.
      const Duration rounding{2};
      if (what.compute) {
        CHECK(length + rounding >= program.compute_costs[what.cost].time);
      } else {
        const TransferCost& cost = program.transfers[what.cost];
        CHECK(length + rounding >= cost.alone(cost.limit));
      }
    });
  }
}

TEST_CASE("all members of a group run their k-th op on it together") {
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    INFO("seed ", seed);
    const HandMade made = random_plan(seed);
    const Timeline timeline = execute(made.plan);
    std::vector<std::vector<Span>> first(made.plan.groups.size());
    std::vector<std::vector<std::size_t>> count(
        made.plan.ranks.size(), std::vector<std::size_t>(made.plan.groups.size(), 0));
    for_every_op(made.plan, [&](std::uint32_t rank, std::uint32_t op, const Op& what) {
      const std::uint32_t group =
          made.plan.ranks[rank].groups[static_cast<std::size_t>(what.group)];
      const std::size_t number = count[rank][group]++;
      const Span& span = timeline.span(rank, op);
      if (number == first[group].size()) first[group].push_back(span);
      CHECK(first[group][number].start == span.start);
      CHECK(first[group][number].end == span.end);
    });
  }
}

TEST_CASE("simulating a plan twice gives the same timeline") {
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    INFO("seed ", seed);
    const HandMade made = random_plan(seed);
    const Timeline one = execute(made.plan);
    const Timeline two = execute(made.plan);
    CHECK(one.end == two.end);
    CHECK(one.events == two.events);
    for_every_op(made.plan, [&](std::uint32_t rank, std::uint32_t op, const Op&) {
      CHECK(one.span(rank, op).end == two.span(rank, op).end);
    });
  }
}

TEST_CASE("the order in which ranks stand changes no time") {
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    INFO("seed ", seed);
    const HandMade made = random_plan(seed);
    Plan turned = made.plan;
    const auto count = static_cast<std::uint32_t>(turned.ranks.size());
    std::reverse(turned.ranks.begin(), turned.ranks.end());
    for (Group& group : turned.groups) {
      for (std::uint32_t& member : group.members) member = count - 1 - member;
    }
    const Timeline one = execute(made.plan);
    const Timeline two = execute(turned);
    for_every_op(made.plan, [&](std::uint32_t rank, std::uint32_t op, const Op&) {
      CHECK(one.span(rank, op).start == two.span(count - 1 - rank, op).start);
      CHECK(one.span(rank, op).end == two.span(count - 1 - rank, op).end);
    });
  }
}

}  // namespace simtrain::testing::executor_property_test
