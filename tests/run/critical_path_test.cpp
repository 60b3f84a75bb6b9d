#include "sim/run/critical_path.h"

#include <algorithm>
#include <numeric>

#include <doctest/doctest.h>

#include "sim/run/executor.h"
#include "tests/run/random_plans.h"

using namespace simtrain;
using simtrain::testing::HandMade;
using simtrain::testing::random_plan;

namespace {

using std::chrono::seconds;

struct Played {
  explicit Played(const Plan& of)
      : plan(of), timeline(execute(of)), path(critical_path(of, timeline)) {}
  [[nodiscard]] Breakdown breakdown() const { return path_breakdown(plan, timeline, path); }
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
  made.group(GroupSlot::tensor, {fast, slow});
  const auto short_work = made.compute(fast, seconds(1));
  const auto long_work = made.compute(slow, seconds(2));
  const auto cost = HandMade::bytes(300, 100);
  const auto met = made.transfer(fast, Stream::tensor, GroupSlot::tensor, cost, {short_work});
  made.transfer(slow, Stream::tensor, GroupSlot::tensor, cost, {long_work});
  const auto last = made.compute(fast, seconds(4), {met});
  const Played played(made.plan);
  REQUIRE(played.path.size() == 3);
  CHECK(played.path[0].rank == slow);
  CHECK(played.path[0].op == long_work);
  CHECK(played.path[1].rank == fast);
  CHECK(played.path[1].op == met);
  CHECK(played.path[2].op == last);
  CHECK(part(played.breakdown(), Share::gemm) == doctest::Approx(6));
  CHECK(part(played.breakdown(), Share::tensor_parallel) == doctest::Approx(3));
}

TEST_CASE("what compute takes beyond its time alone is interference") {
  HandMade made;
  const auto rank = made.rank();
  auto cost = HandMade::bytes(1000, 100);
  cost.sms = 20;
  made.transfer(rank, Stream::data, GroupSlot::self, cost);
  const auto work = made.compute(rank, seconds(40));
  made.compute(rank, seconds(10), {work});
  const Played played(made.plan);
  // Ten seconds at 0.8: two seconds lost.
  CHECK(part(played.breakdown(), Share::gemm) == doctest::Approx(50));
  CHECK(part(played.breakdown(), Share::interference) == doctest::Approx(2));
}

TEST_CASE("time on another stage in which the busiest rank is idle is the bubble") {
  HandMade made;
  const auto first = made.rank(0);
  const auto second = made.rank(1);
  made.pair(GroupSlot::to_next, first, second);
  const auto before = made.compute(first, seconds(2));
  const auto nothing = HandMade::bytes(0, 0);
  made.transfer(first, Stream::send_forward, GroupSlot::to_next, nothing, {before});
  const auto got =
      made.transfer(second, Stream::receive_forward, GroupSlot::from_previous, nothing);
  made.compute(second, seconds(5), {got});
  const Played played(made.plan);
  CHECK(busiest_rank(played.plan, played.timeline) == second);
  CHECK(part(played.breakdown(), Share::bubble) == doctest::Approx(2));
  CHECK(part(played.breakdown(), Share::gemm) == doctest::Approx(5));
}

TEST_CASE("transfers count as the dimension of their group") {
  CHECK(share_of(GroupSlot::tensor) == Share::tensor_parallel);
  CHECK(share_of(GroupSlot::context) == Share::context_parallel);
  CHECK(share_of(GroupSlot::data) == Share::data_parallel);
  for (const GroupSlot slot :
       {GroupSlot::to_next, GroupSlot::from_previous, GroupSlot::to_previous, GroupSlot::from_next})
    CHECK(share_of(slot) == Share::pipeline_parallel);
}

TEST_CASE("the path covers any run from its start to its end without a gap") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed ", seed);
    const HandMade made = random_plan(seed);
    const Played played(made.plan);
    if (played.timeline.end == Duration(0)) continue;
    REQUIRE(!played.path.empty());
    Duration at{};
    for (const PathStep& step : played.path) {
      CHECK(played.timeline.span(step.rank, step.op).start == at);
      at = played.timeline.span(step.rank, step.op).end;
    }
    CHECK(at == played.timeline.end);
  }
}

TEST_CASE("the breakdown of any run sums to its length") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed ", seed);
    const HandMade made = random_plan(seed);
    const Played played(made.plan);
    const Breakdown breakdown = played.breakdown();
    CHECK(sum(breakdown) == doctest::Approx(to_seconds(played.timeline.end)).epsilon(1e-9));
    for (const double share : breakdown) CHECK(share >= -1e-9);
  }
}
