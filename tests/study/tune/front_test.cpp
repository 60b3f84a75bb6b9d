// The front of plans by several objectives, against simulating every plan.
#include <algorithm>
#include <oneapi/tbb/global_control.h>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "sim/run/simulate.h"
#include "sim/study/front/front_search.h"
#include "tests/core/sanitized.h"
#include "tests/study/plan_search.h"

namespace simtrain::testing::front_test {
namespace {

/// The records of a wave come in any order.
Front found(const FrontRequest& request, std::mt19937_64& random) {
  FrontSearch search(request);
  const TaskList tasks = search.tasks();
  for (auto wave = search.next(); !wave.empty(); wave = search.next()) {
    std::shuffle(wave.begin(), wave.end(), random);
    for (const std::uint64_t number : wave) search.add(tasks.answer(number));
  }
  return std::move(search).finished();
}

struct Judged {
  PlanChoice choice;
  Figures figures;
};

double figure(Objective objective, const LegalPlan& plan, const Report& report, double usd) {
  if (objective == Objective::step_time) return report.step_time_s;
  if (objective == Objective::memory) return plan.memory_bytes;
  if (objective == Objective::energy) return report.energy.joules_per_token();
  return usd_per_1t_tokens(usd, report.gpus, report.step_time_s,
                           static_cast<double>(report.tokens_per_step()));
}

/// Without the code of the search: every plan simulated, each compared with each.
std::vector<Judged> brute_force(const FrontRequest& request) {
  std::vector<Judged> all;
  for (const Scenario& size : request.sizes) {
    const PlanSpace space = plan_space(size, request.limits, request.memory_margin);
    for (const LegalPlan& plan : space.legal) {
      if (!plan.fits || (plan.tight && !request.allow_tight)) continue;
      Scenario scenario = size;
      apply(plan.choice, scenario);
      const Report report = simulate(scenario);
      Judged& judged = all.emplace_back(Judged{plan.choice, {}});
      for (const Objective objective : request.objectives)
        judged.figures.push_back(figure(objective, plan, report, request.usd_per_gpu_hour));
    }
  }
  std::vector<Judged> front;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool kept = true;
    for (std::size_t j = 0; j < all.size() && kept; ++j) {
      bool none_more = true;
      for (std::size_t k = 0; k < all[i].figures.size(); ++k)
        none_more = none_more && all[j].figures[k] <= all[i].figures[k];
      kept = !none_more || (all[j].figures == all[i].figures && j >= i);
    }
    if (kept) front.push_back(all[i]);
  }
  return front;
}

std::vector<Judged> on_front(const Front& front) {
  std::vector<Judged> result;
  for (const FrontPlan& plan : front.plans) {
    if (plan.on_front) result.push_back({plan.plan.choice, plan.figures});
  }
  return result;
}

void check_same(std::vector<Judged> one, std::vector<Judged> other) {
  const auto by_plan = [](const Judged& a, const Judged& b) {
    return std::tie(a.choice.gpus, a.choice.values) < std::tie(b.choice.gpus, b.choice.values);
  };
  std::sort(one.begin(), one.end(), by_plan);
  std::sort(other.begin(), other.end(), by_plan);
  REQUIRE(one.size() == other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    CHECK(one[i].choice == other[i].choice);
    REQUIRE(one[i].figures.size() == other[i].figures.size());
    for (std::size_t k = 0; k < one[i].figures.size(); ++k)
      CHECK(one[i].figures[k] == doctest::Approx(other[i].figures[k]).epsilon(1e-12));
  }
}

template <class T>
const T& one_of(const std::vector<T>& choices, std::mt19937_64& random) {
  return choices[random() % choices.size()];
}

/// A small space of a random model, sizes, limits and objectives.
FrontRequest random_request(std::mt19937_64& random) {
  struct Place {
    std::string file;
    std::string row;
    std::string batch;
  };
  const std::vector<Place> places{{"llama31_8b_h100", "bf16-8", "gbs=16"},
                                  {"llama31_8b_h100", "fp8-16", "gbs=32"},
                                  {"nemotron4_15b_h100", "bf16-16", "gbs=48"},
                                  {"llama31_70b_h100", "bf16-64", "gbs=32"}};
  const Place& place = one_of(places, random);
  FrontRequest request;
  request.sizes.push_back(draft(place.file, place.row, {place.batch}));
  if (random() % 2 == 0)
    request.sizes.push_back(draft(place.file, place.row, {place.batch, "nodes=4"}));
  request.limits = limits({one_of<std::string>({"cp=1", "cp=1,2"}, random),
                           one_of<std::string>({"mbs=1", "mbs=1,2"}, random),
                           one_of<std::string>({"vp=1", "vp=1,2"}, random),
                           one_of<std::string>({"recompute=none", "recompute=none,full"}, random)});
  std::vector<Objective> objectives{Objective::step_time, Objective::price, Objective::memory,
                                    Objective::energy};
  std::shuffle(objectives.begin(), objectives.end(), random);
  objectives.resize(1 + random() % 4);
  request.objectives = objectives;
  request.usd_per_gpu_hour = 2.5;
  request.allow_tight = random() % 2 == 0;
  return request;
}

TEST_CASE("the front of random small spaces is that of simulating every plan") {
  std::mt19937_64 random(49);
  int skipped = 0;
  for (int i = 0; i < static_cast<int>(thinned(12)); ++i) {
    CAPTURE(i);
    FrontRequest request = random_request(random);
    const Front front = found(request, random);
    check_same(on_front(front), brute_force(request));
    request.exhaustive = true;
    const Front all = found(request, random);
    check_same(on_front(front), on_front(all));
    CHECK(front.simulated <= all.simulated);
    if (front.simulated < all.simulated) ++skipped;
  }
  CHECK(skipped > 0);
}

TEST_CASE(
    "a plan with none more and one less leaves no place for another; of equal ones the first") {
  CHECK(dominates({1, 2}, 5, {1, 3}, 0));
  CHECK(!dominates({1, 3}, 0, {1, 2}, 5));
  CHECK(!dominates({1, 3}, 0, {2, 2}, 1));
  CHECK(dominates({1, 2}, 0, {1, 2}, 1));
  CHECK(!dominates({1, 2}, 1, {1, 2}, 0));
}

TEST_CASE("time and price alone have one best on one size, that of the search by step time") {
  FrontRequest request;
  request.sizes = {draft("llama31_8b_h100", "bf16-16", {"gbs=32"})};
  request.limits = limits({"cp=1,2", "mbs=1,2"});
  request.objectives = {Objective::step_time, Objective::price};
  request.usd_per_gpu_hour = 3;
  std::mt19937_64 random(1);
  const Front front = found(request, random);
  REQUIRE(front.on_front() == 1);
  TuneRequest by_time;
  by_time.sizes = request.sizes;
  by_time.limits = request.limits;
  by_time.steps = false;
  CHECK(front.plans.front().plan.choice == tune(by_time).best.front().plan.choice);
  CHECK(2 * front.simulated < front.fitting());
}

/// The space of tune_order_test.cpp: some plans are tight.
FrontRequest tight_request() {
  FrontRequest request;
  request.sizes = {draft("llama31_405b_h100", "fp8-64")};
  request.limits = limits({"cp=1", "mbs=1", "tp=4,8", "recompute=none"});
  request.objectives = {Objective::step_time, Objective::memory};
  return request;
}

TEST_CASE("tight plans count where they are allowed, or none is safe") {
  std::mt19937_64 random(3);
  FrontRequest request = tight_request();
  const Front safe = found(request, random);
  REQUIRE(safe.tight() > 0);
  const auto is_tight = [](const FrontPlan& plan) { return plan.plan.tight; };
  CHECK(std::none_of(safe.plans.begin(), safe.plans.end(), is_tight));
  request.allow_tight = true;
  const Front any = found(request, random);
  check_same(on_front(any), brute_force(request));
  const auto tight = std::find_if(any.plans.begin(), any.plans.end(), is_tight);
  REQUIRE(tight != any.plans.end());
  const PlanChoice choice = tight->plan.choice;
  request.limits = {};
  for (const auto& [name, knob] : EnumNames<Knob>::rows) {
    if (choice.has(knob))
      request.limits.add(std::string(name) + "=" + value_text(knob, choice[knob]));
  }
  request.allow_tight = false;
  const Front alone = found(request, random);
  REQUIRE(alone.on_front() == 1);
  CHECK(alone.plans.front().plan.choice == choice);
}

TEST_CASE("the same plans are simulated at any number of threads") {
  const FrontRequest request = tight_request();
  std::mt19937_64 random(4);
  const Front many = found(request, random);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const Front single = found(request, random);
  REQUIRE(many.plans.size() == single.plans.size());
  for (std::size_t i = 0; i < many.plans.size(); ++i)
    CHECK(record_of(many.plans[i].row) == record_of(single.plans[i].row));
}

}  // namespace
}  // namespace simtrain::testing::front_test
