#include "sim/run/pieces/critical_path.h"

#include <algorithm>
#include <numeric>

#include <doctest/doctest.h>

#include "sim/run/engine/executor.h"
#include "tests/run/random_plans.h"

namespace simtrain::testing::critical_path_test {

namespace {

using std::chrono::seconds;

struct WalkedPlan {
  explicit WalkedPlan(const Plan& of)
      : plan(of), timeline(execute(of)), path(critical_path(of, timeline)) {}
  [[nodiscard]] Breakdown breakdown() const {
    return path_breakdown(plan, timeline, path, busiest_rank(plan, timeline));
  }
  const Plan& plan;
  Timeline timeline;
  std::vector<PathStep> path;
};

double sum(const Breakdown& breakdown) {
  return std::accumulate(breakdown.begin(), breakdown.end(), 0.0);
}

}  // namespace

TEST_CASE("the path goes through the slower of two ranks and the transfer after it") {
  HandMade made;
  const auto fast = made.rank();
  const auto slow = made.rank();
  made.group(GroupKind::tensor, {fast, slow});
  const auto short_work = made.compute(fast, seconds(1));
  const auto long_work = made.compute(slow, seconds(2));
  const auto cost = HandMade::bytes(300, 100);
  const auto met = made.transfer(fast, Stream::tensor, GroupKind::tensor, cost, {short_work});
  made.transfer(slow, Stream::tensor, GroupKind::tensor, cost, {long_work});
  const auto last = made.compute(fast, seconds(4), {met});
  const WalkedPlan simulated(made.plan);
  REQUIRE(simulated.path.size() == 3);
  CHECK(simulated.path[0].rank == slow);
  CHECK(simulated.path[0].op == long_work);
  CHECK(simulated.path[1].rank == fast);
  CHECK(simulated.path[1].op == met);
  CHECK(simulated.path[2].op == last);
  CHECK(part(simulated.breakdown(), Share::gemm) == doctest::Approx(6));
  CHECK(part(simulated.breakdown(), Share::tensor_parallel) == doctest::Approx(3));
}

TEST_CASE("what compute takes beyond its time alone is interference") {
  HandMade made;
  const auto rank = made.rank();
  auto cost = HandMade::bytes(1000, 100);
  cost.sms = 20;
  made.transfer(rank, Stream::data, GroupKind::self, cost);
  const auto work = made.compute(rank, seconds(40));
  made.compute(rank, seconds(10), {work});
  const WalkedPlan simulated(made.plan);
  // Ten seconds at 0.8: two seconds lost.
  CHECK(part(simulated.breakdown(), Share::gemm) == doctest::Approx(50));
  CHECK(part(simulated.breakdown(), Share::interference) == doctest::Approx(2));
}

TEST_CASE("time on another stage in which the busiest rank is idle is the bubble") {
  HandMade made;
  const auto first = made.rank(0);
  const auto second = made.rank(1);
  made.pair(GroupKind::to_next, first, second);
  const auto before = made.compute(first, seconds(2));
  const auto nothing = HandMade::bytes(0, 0);
  made.transfer(first, Stream::send_forward, GroupKind::to_next, nothing, {before});
  const auto got =
      made.transfer(second, Stream::receive_forward, GroupKind::from_previous, nothing);
  made.compute(second, seconds(5), {got});
  const WalkedPlan simulated(made.plan);
  CHECK(busiest_rank(simulated.plan, simulated.timeline) == second);
  CHECK(part(simulated.breakdown(), Share::bubble) == doctest::Approx(2));
  CHECK(part(simulated.breakdown(), Share::gemm) == doctest::Approx(5));
}

TEST_CASE("what another stage gathers is exposed, although the busiest rank is idle") {
  HandMade made;
  const auto first = made.rank(0);
  const auto second = made.rank(1);
  made.pair(GroupKind::to_next, first, second);
  made.group(GroupKind::data, {first});
  const auto gathered =
      made.transfer(first, Stream::data, GroupKind::data, HandMade::bytes(300, 100));
  const auto before = made.compute(first, seconds(2), {gathered});
  const auto nothing = HandMade::bytes(0, 0);
  made.transfer(first, Stream::send_forward, GroupKind::to_next, nothing, {before});
  const auto got =
      made.transfer(second, Stream::receive_forward, GroupKind::from_previous, nothing);
  made.compute(second, seconds(5), {got});
  const WalkedPlan simulated(made.plan);
  CHECK(part(simulated.breakdown(), Share::data_parallel) == doctest::Approx(3));
  CHECK(part(simulated.breakdown(), Share::bubble) == doctest::Approx(2));
  CHECK(part(simulated.breakdown(), Share::gemm) == doctest::Approx(5));
}

TEST_CASE("transfers count as the dimension of their group") {
  CHECK(row_of(GroupKind::tensor).share == Share::tensor_parallel);
  CHECK(row_of(GroupKind::context).share == Share::context_parallel);
  CHECK(row_of(GroupKind::data).share == Share::data_parallel);
  for (const GroupKind slot :
       {GroupKind::to_next, GroupKind::from_previous, GroupKind::to_previous, GroupKind::from_next})
    CHECK(row_of(slot).share == Share::pipeline_parallel);
}

TEST_CASE("the path covers any run from its start to its end without a gap") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed ", seed);
    const HandMade made = random_plan(seed);
    const WalkedPlan simulated(made.plan);
    if (simulated.timeline.end == Duration(0)) continue;
    REQUIRE(!simulated.path.empty());
    Duration at{};
    for (const PathStep& step : simulated.path) {
      CHECK(simulated.timeline.span(step.rank, step.op).start == at);
      at = simulated.timeline.span(step.rank, step.op).end;
    }
    CHECK(at == simulated.timeline.end);
  }
}

TEST_CASE("the breakdown of any run sums to its length") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed ", seed);
    const HandMade made = random_plan(seed);
    const WalkedPlan simulated(made.plan);
    const Breakdown breakdown = simulated.breakdown();
    CHECK(sum(breakdown) == doctest::Approx(to_seconds(simulated.timeline.end)).epsilon(1e-9));
    for (const double share : breakdown) CHECK(share >= -1e-9);
  }
}

}  // namespace simtrain::testing::critical_path_test
