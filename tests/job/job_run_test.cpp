#include "sim/job/simulation/job_run.h"

#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "sim/job/goodput/job_summary.h"
#include "tests/job/plans.h"

namespace simtrain::testing::job_run_test {
namespace {

constexpr int kRuns = 200;

JobSummary summary(const JobPlan& plan, int runs = kRuns) {
  std::vector<JobRun> all;
  for (int run = 0; run < runs; ++run)
    all.push_back(simulate_job(plan, static_cast<std::uint32_t>(run)));
  return summary_of(plan, all);
}

TEST_CASE("Without failures a job takes its start, its steps and its saves, to the second") {
  const JobRun run = simulate_job(small_job(1000), 0);
  CHECK(run.finished);
  CHECK(run.steps == 1000);
  CHECK(run.saves == 9);  // not at the end
  CHECK(run.restarts == 0);
  CHECK(run.used[TimeUse::training] == doctest::Approx(10000));
  CHECK(run.used[TimeUse::saving] == doctest::Approx(180));
  CHECK(run.used[TimeUse::scheduling] == 60);
  CHECK(run.used[TimeUse::launch] == 120);
  CHECK(run.used[TimeUse::groups] == 3);
  CHECK(run.used[TimeUse::first_steps] == 80);
  CHECK(run.used[TimeUse::loading] == 0);  // there is nothing to load yet
  CHECK(run.elapsed_s == doctest::Approx(10443));
}

TEST_CASE("Asynchronous saves stall for the copy alone, and wait for the one before") {
  JobPlan plan = small_job(1000);
  plan.persistent.async = true;
  CHECK(simulate_job(plan, 0).used[TimeUse::saving] == doctest::Approx(9 * 5));
  // A write of 1500 s beside intervals of 1000 s: each save but the first waits.
  plan.persistent.write_s = 1500;
  const double cycle = 1500 + 5;
  CHECK(simulate_job(plan, 0).used[TimeUse::saving] == doctest::Approx(5 + 8 * (cycle - 1000 + 0)));
}

TEST_CASE("Validation takes its part of every step") {
  JobPlan plan = small_job(1000);
  plan.eval_s = 0.5;
  const JobRun run = simulate_job(plan, 0);
  CHECK(run.used[TimeUse::evaluation] == doctest::Approx(500));
  CHECK(run.used[TimeUse::training] == doctest::Approx(10000));
}

TEST_CASE("A horizon ends a run wherever it is") {
  JobPlan plan = small_job(kNever);
  plan.horizon_s = 5000;
  const JobRun run = simulate_job(plan, 0);
  CHECK(run.finished);
  CHECK(run.elapsed_s == 5000);
  CHECK(run.steps == doctest::Approx((5000 - 263 - 4 * 20) / 10.0));
}

TEST_CASE("A run's uses of time sum to it, whatever happens") {
  std::mt19937 random(4);
  const auto draw = [&](double low, double high) {
    return low * std::exp(std::log(high / low) * static_cast<double>(random()) / 4294967296.0);
  };
  for (int job = 0; job < 100; ++job) {
    JobPlan plan = small_job(std::round(draw(100, 20000)));
    plan.seed = static_cast<std::uint64_t>(job);
    plan.persistent.interval = std::round(draw(1, 1000));
    plan.persistent.async = job % 2 == 0;
    plan.eval_s = job % 3 == 0 ? 0.7 : 0;
    plan.spares = job % 4;
    plan.manual_share = 0.2;
    plan.manual_s = 500;
    if (job % 5 == 0) plan.smaller = {{10, 1}, {10.5, 0.9}, {11, 0.8}};
    plan.nodes_apart = job % 5 == 0 ? 2 : 1;
    if (job % 3 == 1) {
      plan.local = plan.persistent;
      plan.local.outlives = FailureReach::none;
      plan.local.interval = 7;
      plan.persistent.interval = possible_interval(plan, plan.persistent.interval);
    }
    if (job % 7 == 0) {
      plan.persistent.outlives = FailureReach::none;
      plan.persistent.drain_s = draw(10, 10000);
      plan.persistent.drained_load_s = 70;
    }
    plan.failures = {failure(FailureEffect::stops, draw(500, 1e6), 1),
                     failure(FailureEffect::stops, draw(500, 1e6)),
                     failure(FailureEffect::stops, draw(5000, 1e6), 30),
                     failure(FailureEffect::slows, draw(500, 1e6), 1),
                     failure(FailureEffect::corrupts, draw(5000, 1e6), 1),
                     failure(FailureEffect::planned, draw(5000, 1e6), 1)};
    plan.failures[3].slowdowns.assign(plan.smaller.size(), 1.3);
    for (std::uint32_t run = 0; run < 3; ++run) {
      CAPTURE(job);
      CAPTURE(run);
      const JobRun result = simulate_job(plan, run);
      CHECK(result.used.total() == doctest::Approx(result.elapsed_s).epsilon(1e-9));
      for (const auto& row : EnumNames<TimeUse>::rows) CHECK(result.used[row.second] >= 0);
      CHECK(result.used[TimeUse::training] == doctest::Approx(result.steps * 10).epsilon(1e-9));
      if (result.finished) CHECK(result.steps == plan.goal_steps);
      CHECK(result.goodput() <= result.effective_time() + 1e-9);
    }
  }
}

TEST_CASE("Failures come as often as their rates say, restarts with them") {
  JobPlan plan = with(small_job(kNever), failure(FailureEffect::stops, 20000));
  plan.horizon_s = 1e6;
  const JobSummary result = summary(plan);
  CHECK(result.interruptions.mean == doctest::Approx(50).epsilon(0.03));
  CHECK(result.restarts == doctest::Approx(50).epsilon(0.03));
  CHECK(result.interruptions.p5 < result.interruptions.p95);
}

TEST_CASE("What failures cost is what renewal theory says") {
  // Of memoryless failures with mean M an interval of training T with its save C takes
  // (exp((T + C) / M) - 1) (M + R) in the mean, R what restarting takes while more failures come.
  JobPlan plan = with(small_job(kNever), failure(FailureEffect::stops, 6000));
  plan.horizon_s = 2e7;
  const double mean = 6000;
  const double restart = mean * std::expm1((300 + 60 + 120 + 3 + 40 + 80) / mean);
  const double cycle = std::expm1((1000 + 20) / mean) * (mean + restart);
  CHECK(summary(plan, 20).goodput.mean == doctest::Approx(1000 / cycle).epsilon(0.005));
}

TEST_CASE("Daly's interval is the best of its neighbours, and Young's is near it") {
  JobPlan plan = with(small_job(kNever), failure(FailureEffect::stops, 20000));
  plan.horizon_s = 2e6;
  const double daly = daly_interval_steps(plan);
  CHECK(daly == doctest::Approx(std::sqrt(2 * 20 * 20000.0) / 10).epsilon(0.05));
  CHECK(young_interval_steps(plan) == doctest::Approx(daly).epsilon(0.05));
  const auto goodput_at = [&](double interval) {
    plan.persistent.interval = std::round(interval);
    return summary(plan, 50).goodput.mean;
  };
  const double best = goodput_at(daly);
  CHECK(best > goodput_at(daly / 3));
  CHECK(best > goodput_at(daly * 3));
}

TEST_CASE("Asynchronous saves are no more frequent than they are written") {
  JobPlan plan = with(small_job(kNever), failure(FailureEffect::stops, 20000));
  plan.horizon_s = 2e6;
  plan.persistent.async = true;
  CHECK(suited_interval(plan) == daly_interval_steps(plan));
  plan.persistent.copy_s = 0.01;
  plan.persistent.write_s = 995;
  CHECK(daly_interval_steps(plan) < 5);
  CHECK(suited_interval(plan) == 100);
  plan.persistent.interval = 4;
  CHECK(plan.waits_s(plan.persistent) == doctest::Approx(0.01 + 995 - 40));
  const double often = summary(plan, 20).goodput.mean;
  plan.persistent.interval = suited_interval(plan);
  CHECK(plan.waits_s(plan.persistent) == 0.01);
  CHECK(summary(plan, 20).goodput.mean > often);
  plan.failures.clear();
  CHECK(suited_interval(plan) == 0);
}

TEST_CASE("Without spares the job waits for repairs; with them, or fewer replicas, it goes on") {
  JobPlan plan = with(small_job(kNever), failure(FailureEffect::stops, 20000, 1));
  plan.horizon_s = 1e6;
  const JobSummary waiting = summary(plan, 50);
  CHECK(waiting.used[TimeUse::waiting] > 0.02 * plan.horizon_s);
  plan.spares = 10;
  const JobSummary spared = summary(plan, 50);
  CHECK(spared.used[TimeUse::waiting] == 0);
  CHECK(spared.goodput.mean > waiting.goodput.mean);
  plan.spares = 0;
  plan.smaller = {{10, 1}, {10, 0.9}, {10, 0.8}};
  const JobSummary elastic = summary(plan, 50);
  CHECK(elastic.used[TimeUse::waiting] < 0.1 * waiting.used[TimeUse::waiting]);
  CHECK(elastic.used[TimeUse::slowed] > 0);
  CHECK(elastic.goodput.mean > waiting.goodput.mean);
  CHECK(elastic.goodput.mean < spared.goodput.mean);
}

TEST_CASE(
    "A slow device costs its slowdown until it is noticed; then a restart without lost work") {
  JobPlan plan = with(small_job(kNever), failure(FailureEffect::slows, 100000));
  plan.failures[0].slowdowns = {1.25};
  plan.failures[0].detection_s = 10000;
  plan.horizon_s = 1e6;
  const JobSummary lasting = summary(plan);
  // Slow for about 1 - exp(-0.1) of the time: a fifth of that is lost.
  CHECK(lasting.used[TimeUse::slowed] / 1e6 ==
        doctest::Approx(0.2 * (1 - std::exp(-0.1))).epsilon(0.1));
  CHECK(lasting.restarts == 0);
  plan.failures[0].nodes = 1;
  plan.failures[0].repair_s = 1;
  const JobSummary replaced = summary(plan);
  CHECK(replaced.restarts > 5);
  CHECK(replaced.used[TimeUse::lost_work] == 0);
}

TEST_CASE("Wrong results cost all work since they began, known or not") {
  JobPlan plan = with(small_job(kNever), failure(FailureEffect::corrupts, 50000));
  plan.failures[0].detection_s = 5000;
  plan.horizon_s = 1e6;
  const JobSummary result = summary(plan);
  CHECK(result.used[TimeUse::detection] == 0);
  // As long as they were not noticed, and half an interval before; a few failures overlap.
  const double each = result.used[TimeUse::lost_work] / result.restarts;
  CHECK(each > 4800);
  CHECK(each < 6200);
}

TEST_CASE("What is announced costs a save and a restart, and no work") {
  JobPlan plan = with(small_job(kNever), failure(FailureEffect::planned, 50000));
  plan.horizon_s = 1e6;
  const JobSummary result = summary(plan);
  CHECK(result.restarts == doctest::Approx(20).epsilon(0.1));
  CHECK(result.used[TimeUse::lost_work] == 0);
  CHECK(result.used[TimeUse::detection] == 0);
  CHECK(result.interruptions.mean == 0);
}

TEST_CASE("Checkpoints on nodes help against failures that take none, and not against others") {
  JobPlan plan = small_job(kNever);
  plan.horizon_s = 1e6;
  plan.persistent.interval = 500;
  plan.failures = {failure(FailureEffect::stops, 20000)};
  const double remote = summary(plan, 50).goodput.mean;
  plan.local = plan.persistent;
  plan.local.interval = 20;
  plan.local.write_s = 0;
  plan.local.copy_s = 1;
  plan.local.outlives = FailureReach::none;
  CHECK(summary(plan, 50).goodput.mean > remote + 0.05);
  plan.failures = {failure(FailureEffect::stops, 20000, 1)};
  plan.spares = 20;
  const double lost_with_nodes = summary(plan, 50).goodput.mean;
  CHECK(lost_with_nodes < remote);
  plan.local.outlives = FailureReach::node;  // a copy on another node
  CHECK(summary(plan, 50).goodput.mean > lost_with_nodes + 0.05);
  plan.failures[0].takes = FailureReach::unit;  // with the copy
  CHECK(summary(plan, 50).goodput.mean == lost_with_nodes);
}

TEST_CASE("A checkpoint that drains is safe when it has: the slower, the more is lost") {
  JobPlan plan = with(small_job(kNever), failure(FailureEffect::stops, 20000, 1));
  plan.horizon_s = 1e6;
  plan.spares = 20;
  plan.persistent.outlives = FailureReach::none;
  plan.persistent.drain_s = 1;
  plan.persistent.drained_load_s = 40;
  const double quick = summary(plan, 50).goodput.mean;
  plan.persistent.drain_s = 4000;
  const double slow = summary(plan, 50).goodput.mean;
  CHECK(slow < quick - 0.1);
  plan.failures = {failure(FailureEffect::stops, 20000)};
  CHECK(summary(plan, 50).goodput.mean > slow + 0.1);
}

TEST_CASE("A job that gets nowhere is given up, and says so") {
  const JobPlan plan = with(small_job(1000), failure(FailureEffect::stops, 60));
  const JobRun run = simulate_job(plan, 0);
  CHECK(!run.finished);
  CHECK(run.elapsed_s <= kGivesUp * plan.undisturbed_s());
  CHECK(run.used.total() == doctest::Approx(run.elapsed_s));
}

TEST_CASE("A job whose start takes longer than all of its steps is not given up for it") {
  JobPlan plan = small_job(2);
  plan.launch_s = 100 * plan.ideal_s();
  CHECK(simulate_job(plan, 0).finished);
}

TEST_CASE("A run depends on seed and number alone") {
  JobPlan plan = with(small_job(5000), failure(FailureEffect::stops, 5000, 1));
  const double first = simulate_job(plan, 3).elapsed_s;
  CHECK(simulate_job(plan, 3).elapsed_s == first);
  CHECK(simulate_job(plan, 4).elapsed_s != first);
  plan.seed = 1;
  CHECK(simulate_job(plan, 3).elapsed_s != first);
}

TEST_CASE("Plans with the same failures meet them at the same times") {
  JobPlan plan = with(small_job(kNever), failure(FailureEffect::stops, 20000));
  plan.horizon_s = 1e6;
  const JobRun run = simulate_job(plan, 0);
  plan.persistent.interval = 30;
  CHECK(simulate_job(plan, 0).failures == run.failures);
}

}  // namespace
}  // namespace simtrain::testing::job_run_test
