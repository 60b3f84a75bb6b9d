#include "sim/job/goodput/power_of_run.h"

#include <numeric>

#include <doctest/doctest.h>

#include "tests/job/plans.h"

namespace simtrain::testing::power_of_run_test {
namespace {

constexpr PowerLevels kLevels{1000, 700, 1200, 300};

/// Fails and slows down now and then, and is passed over in whole cycles between.
JobPlan eventful_job() {
  JobPlan plan = small_job(20000);
  plan.smaller = {{10, 1}, {10.5, 0.9}, {11, 0.8}};
  plan.failures = {failure(FailureEffect::stops, 30000, 1), failure(FailureEffect::stops, 50000),
                   failure(FailureEffect::slows, 40000, 1)};
  plan.failures[2].slowdowns = {1.3, 1.2, 1.1};
  return plan;
}

UsedTime sum_of(const std::vector<UsedTime>& parts) {
  UsedTime sum;
  for (const UsedTime& part : parts) sum += part;
  return sum;
}

}  // namespace

TEST_CASE("What a run does when sums to what it does, and does not change it") {
  const JobPlan plan = eventful_job();
  for (std::uint32_t run = 0; run < 20; ++run) {
    CAPTURE(run);
    const JobRun alone = simulate_job(plan, run);
    UseTrace trace(alone.elapsed_s, 1000);
    const JobRun traced = simulate_job(plan, run, &trace);
    CHECK(traced.elapsed_s == alone.elapsed_s);
    CHECK(traced.used.total() == alone.used.total());
    for (const UsedTime& part : trace.parts())
      CHECK(part.total() == doctest::Approx(trace.part_s()).epsilon(1e-6));
    const UsedTime sum = sum_of(trace.parts());
    const UsedTime& used = alone.used;
    CHECK(sum[TimeUse::saving] == doctest::Approx(used[TimeUse::saving]).epsilon(1e-9));
    CHECK(sum[TimeUse::waiting] == doctest::Approx(used[TimeUse::waiting]).epsilon(1e-9));
    CHECK(sum[TimeUse::training] ==
          doctest::Approx(used[TimeUse::training] + used[TimeUse::evaluation] +
                          used[TimeUse::slowed] + used[TimeUse::lost_work])
              .epsilon(1e-9));
  }
}

TEST_CASE("Saves come where they come, also in cycles that are passed at once") {
  JobPlan plan = small_job(1000);
  const JobRun run = simulate_job(plan, 0);
  UseTrace trace(run.elapsed_s, 1000);  // of 10.443 s each
  static_cast<void>(simulate_job(plan, 0, &trace));
  std::vector<double> saves;
  for (std::size_t part = 0; part < trace.parts().size(); ++part) {
    if (trace.parts()[part][TimeUse::saving] <= 0) continue;
    const double start = static_cast<double>(part) * trace.part_s();
    if (saves.empty() || start > saves.back() + 100) saves.push_back(start);
  }
  REQUIRE(saves.size() == 9);
  for (std::size_t i = 0; i < saves.size(); ++i) {
    const double due = 263 + 1000 * static_cast<double>(i + 1) + 20 * static_cast<double>(i);
    CHECK(saves[i] == doctest::Approx(due).epsilon(0.01));
  }
}

TEST_CASE("Power over a run is the energy of its steps and of its waiting") {
  const JobPlan plan = eventful_job();
  const JobRun run = simulate_job(plan, 3);
  const PowerOfRun power = power_of_run(plan, 3, run.elapsed_s, kLevels);
  const double joules =
      std::accumulate(power.mean_w.begin(), power.mean_w.end(), 0.0) * power.part_s;
  const UsedTime& used = run.used;
  const double steps_s = used[TimeUse::training] + used[TimeUse::evaluation] +
                         used[TimeUse::slowed] + used[TimeUse::lost_work];
  CHECK(joules == doctest::Approx(steps_s * 1000 + (run.elapsed_s - steps_s) * 300).epsilon(1e-6));
  for (std::size_t part = 0; part < power.mean_w.size(); ++part) {
    CHECK(power.least_w[part] <= power.mean_w[part] + 1e-6);
    CHECK(power.mean_w[part] <= power.most_w[part] + 1e-6);
  }
}

TEST_CASE("A run that starts, trains and fails swings between waiting and steps") {
  const PowerOfRun power =
      power_of_run(small_job(1000), 0, simulate_job(small_job(1000), 0).elapsed_s, kLevels);
  CHECK(power.mean_w.front() == 300);  // the start
  CHECK(power.least_w.front() == 300);
  CHECK(power.most_w.front() == 300);
  CHECK(power.mean_w.back() == 1000);  // the last steps
  CHECK(power.least_w.back() == 700);
  CHECK(power.most_w.back() == 1200);
  const PowerOfRun tenths = power.in(10);
  CHECK(tenths.mean_w.size() == 10);
  CHECK(tenths.least_w[5] == 300);  // a save
  CHECK(tenths.most_w[5] == 1200);
  CHECK(std::accumulate(tenths.mean_w.begin(), tenths.mean_w.end(), 0.0) * 100 ==
        doctest::Approx(std::accumulate(power.mean_w.begin(), power.mean_w.end(), 0.0)));
}

}  // namespace simtrain::testing::power_of_run_test
