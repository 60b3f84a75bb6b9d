#include "sim/job/simulation/failure_arrivals.h"

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "tests/job/plans.h"

namespace simtrain::testing::failure_arrivals_test {
namespace {

JobPlan three_kinds() {
  JobPlan plan = small_job(1000);
  plan.seed = 5;
  plan.failures = {failure(FailureEffect::stops, 1000), failure(FailureEffect::slows, 500),
                   failure(FailureEffect::stops, 4000)};
  return plan;
}

/// By kind, the times at which it comes within `until`.
std::vector<std::vector<double>> times(const JobPlan& plan, double until) {
  FailureArrivals arrivals(plan, 3);
  std::vector<std::vector<double>> by_kind(plan.failures.size());
  double last = 0;
  while (arrivals.next_s() < until) {
    const double at = arrivals.next_s();
    CHECK(at >= last);
    last = at;
    by_kind[arrivals.take()].push_back(at);
  }
  return by_kind;
}

TEST_CASE("Kinds of failures come at their rates, in the order of time") {
  constexpr double kUntil = 4e6;
  const JobPlan plan = three_kinds();
  const auto by_kind = times(plan, kUntil);
  for (std::size_t kind = 0; kind < by_kind.size(); ++kind) {
    const double expected = kUntil * plan.failures[kind].rate;
    CHECK(std::abs(static_cast<double>(by_kind[kind].size()) - expected) < 4 * std::sqrt(expected));
  }
}

TEST_CASE("A kind that is rarer or never comes leaves the others where they were") {
  constexpr double kUntil = 1e5;
  const auto as_they_are = times(three_kinds(), kUntil);
  for (const double share : {0.5, 0.0}) {
    CAPTURE(share);
    JobPlan fewer = three_kinds();
    fewer.failures[0].rate *= share;
    const auto then = times(fewer, kUntil);
    CHECK(then[0].size() < as_they_are[0].size());
    CHECK(then[1] == as_they_are[1]);
    CHECK(then[2] == as_they_are[2]);
  }
}

TEST_CASE("What follows from a failure of one kind takes as long whatever others do") {
  FailureArrivals alone(three_kinds(), 3);
  FailureArrivals with_others(three_kinds(), 3);
  for (int i = 0; i < 5; ++i) {
    static_cast<void>(with_others.take());
    static_cast<void>(with_others.delay(1, 10));
    CHECK(with_others.delay(2, 10) == alone.delay(2, 10));
  }
}

TEST_CASE("Where nothing fails nothing comes") {
  JobPlan plan = three_kinds();
  for (FailureKind& kind : plan.failures) kind.rate = 0;
  CHECK(FailureArrivals(plan, 0).next_s() == kNever);
  plan.failures.clear();
  CHECK(FailureArrivals(plan, 0).next_s() == kNever);
}

}  // namespace
}  // namespace simtrain::testing::failure_arrivals_test
