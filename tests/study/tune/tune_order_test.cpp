// The order in which `tune` ranks plans, against simulating every plan and sorting.
#include <algorithm>
#include <random>
#include <tuple>

#include <doctest/doctest.h>

#include "sim/run/engine/executor.h"
#include "sim/run/simulate.h"
#include "sim/study/tune/tune.h"
#include "tests/core/sanitized.h"
#include "tests/study/plan_search.h"

namespace simtrain::testing::tune_order_test {

namespace {

/// A plan that was simulated, or why it could not be.
struct Judged {
  bool tight = false;
  bool behind = false;
  double score = 0;
  std::size_t order = 0;
  PlanChoice choice;
  std::string refusal;

  friend bool operator<(const Judged& a, const Judged& b) {
    return std::tie(a.behind, a.score, a.order) < std::tie(b.behind, b.score, b.order);
  }
};

/// Every plan that fits, best first, without the code of the search; those that cannot be
/// simulated are left out and counted.
std::vector<Judged> brute_force(const TuneRequest& request, std::int64_t& skipped) {
  std::vector<Judged> all;
  for (const Scenario& size : request.sizes) {
    for (const LegalPlan& plan : plan_space(size, request.limits, request.memory_margin).legal) {
      if (!plan.fits) continue;
      Scenario scenario = size;
      apply(plan.choice, scenario);
      try {
        const Report report = simulate(scenario);
        all.push_back({report.tight(), report.tight() && !request.allow_tight,
                       score(request.by, report.step_time_s, report.gpus), all.size(), plan.choice,
                       ""});
      } catch (const InputError& refusal) {
        CHECK(refusal.what() == std::string(kTooLongStep));
        ++skipped;
      }
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

void check_found(const TuneRequest& request) {
  std::int64_t skipped = 0;
  const std::vector<Judged> all = brute_force(request, skipped);
  const TuneResult found = tune(request);
  REQUIRE(found.best.size() == std::min(request.top, all.size()));
  for (std::size_t i = 0; i < found.best.size(); ++i) {
    CHECK(found.best[i].plan.choice == all[i].choice);
    CHECK(found.best[i].plan.tight == all[i].tight);
  }
  std::vector<Judged> ahead;
  if (!all.empty() && !all.front().behind)
    std::copy_if(all.begin(), all.end(), std::back_inserter(ahead),
                 [&](const Judged& plan) { return plan.behind && plan.score < all.front().score; });
  CHECK(found.tight_ahead.plans == static_cast<std::int64_t>(ahead.size()));
  REQUIRE(found.tight_ahead.best.has_value() == !ahead.empty());
  if (!ahead.empty()) CHECK(found.tight_ahead.best->plan.choice == ahead.front().choice);
  if (found.best.size() < request.top) {  // then every plan was looked at
    std::int64_t counted = 0;
    for (const auto& [reason, plans] : found.skipped) counted += plans.count;
    CHECK(counted == skipped);
  }
}

TuneRequest on(const Scenario& base, const std::vector<std::string>& allowed, std::size_t top) {
  TuneRequest request;
  request.sizes = {base};
  request.limits = limits(allowed);
  request.top = top;
  return request;
}

/// Some plans are tight, and one of them would be the best.
TuneRequest tight_request(std::size_t top) {
  return on(draft("llama31_405b_h100", "fp8-64"), {"cp=1", "mbs=1", "tp=4,8", "recompute=none"},
            top);
}

}  // namespace

TEST_CASE("safe plans rank before tight ones, unless tight ones are allowed") {
  TuneRequest request = tight_request(3);
  const TuneResult safe = tune(request);
  CHECK(!safe.best.front().plan.tight);
  CHECK(!safe.best.front().report.tight());
  REQUIRE(safe.tight() > 0);
  REQUIRE(safe.tight_ahead.plans > 0);
  check_found(request);
  request.allow_tight = true;
  const TuneResult any = tune(request);
  CHECK(any.best.front().plan.choice == safe.tight_ahead.best->plan.choice);
  CHECK(any.best.front().report.tight());
  CHECK(!any.tight_ahead.best);
  check_found(request);
  check_found(tight_request(500));  // more than there are: tight ones come last
}

TEST_CASE("where no plan is safe the best tight one is shown") {
  const TuneResult all = tune(tight_request(500));
  REQUIRE(all.best.back().plan.tight);
  const PlanChoice& tight = all.best.back().plan.choice;
  std::vector<std::string> allowed;
  for (const auto& [name, knob] : EnumNames<Knob>::rows) {
    if (tight.has(knob)) allowed.push_back(std::string(name) + "=" + value_text(knob, tight[knob]));
  }
  const TuneRequest request = on(tight_request(3).sizes.front(), allowed, 3);
  const TuneResult one = tune(request);
  REQUIRE(one.best.size() == 1);
  CHECK(one.best.front().plan.choice == tight);
  CHECK(one.best.front().plan.tight);
  CHECK(one.tight_ahead.plans == 0);
  check_found(request);
}

TEST_CASE("a margin is room for fragmentation: what leaves it is not tight") {
  TuneRequest request = tight_request(3);
  request.memory_margin = 0.06;
  const TuneResult result = tune(request);
  CHECK(result.fitting() > 0);
  CHECK(result.tight() == 0);
}

TEST_CASE("plans that take longer than can be simulated are skipped with their reason") {
  Scenario base = draft("llama31_8b_h100", "bf16-8", {"gbs=16"});
  const std::vector<std::string> few{"cp=1,2", "mbs=1", "recompute=none,full"};
  const double usual = tune(on(base, few, 1)).best.front().report.step_time_s;
  const double slower = 0.8 * to_seconds(kLongestStep) / usual;
  for (GemmRate& rate : base.cluster.gpu.gemm.rates) {
    rate.burst = FlopRate(rate.burst.value() / slower);
    rate.sustained = FlopRate(rate.sustained.value() / slower);
  }
  for (const std::size_t top : {std::size_t{1}, std::size_t{1000}}) {
    TuneRequest request = on(base, few, top);
    check_found(request);
    request.exhaustive = true;
    const TuneResult all = tune(request);
    REQUIRE(all.skipped.size() == 1);
    CHECK(all.skipped.begin()->first == kTooLongStep);
    CHECK(!all.best.empty());
  }
}

TEST_CASE("random small spaces: the search finds what sorting all of them finds") {
  std::mt19937 random(20261122);
  const auto pick = [&](const auto& list) { return list[random() % list.size()]; };
  const std::vector<std::pair<std::string, std::string>> rows{
      {"llama31_8b_h100", "bf16-8"},         {"llama31_8b_h100", "fp8-16"},
      {"nemotron4_15b_h100", "fp8-16"},      {"nemotron4_15b_h100", "bf16-16"},
      {"llama31_70b_h100", "bf16-64"},       {"llama31_405b_h100", "fp8-64"},
      {"nemotron4_15b_h100_2507", "bf16-16"}};
  const std::vector<std::string> tp{"tp=1,2", "tp=2,4", "tp=4,8", "tp=8"};
  const std::vector<std::string> pp{"pp=1,2", "pp=2,4", "pp=4,8"};
  const std::vector<std::string> vp{"vp=1", "vp=1,2", "vp=2:4"};
  const std::vector<std::string> way{"recompute=none", "recompute=none,full",
                                     "recompute=selective"};
  std::int64_t tight = 0;
  for (int i = 0; i < thinned(60); ++i) {
    const std::pair<std::string, std::string>& base = pick(rows);
    CAPTURE(i);
    CAPTURE(base.first);
    const std::string batch = "gbs=" + std::to_string(32 << random() % 3);
    const std::vector<std::string> allowed{pick(tp),  pick(pp),  pick(vp),
                                           pick(way), "mbs=1,2", "cp=1"};
    const std::size_t top = 1 + random() % 6;
    TuneRequest request = on(draft(base.first, base.second, {batch}), allowed, top);
    request.by = random() % 2 == 0 ? TuneGoal::step_time : TuneGoal::mfu;
    request.allow_tight = random() % 4 == 0;
    request.memory_margin = random() % 3 == 0 ? 0.02 : 0;
    tight += tune(request).tight();
    check_found(request);
  }
  CHECK(tight > 0);
}

}  // namespace simtrain::testing::tune_order_test
