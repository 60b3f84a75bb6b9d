// Jobs that repeat their steps on common links: phases, warm-up, who is to blame.
#include <doctest/doctest.h>

#include "sim/run/engine/executor.h"
#include "sim/run/shared/link_ledger.h"
#include "tests/run/plans.h"

namespace simtrain::testing::repeated_steps_test {

namespace {

using std::chrono::seconds;

/// A job of one rank: it computes for a second, then sends 100 bytes over the link.
void add_job(HandMade& made, int link, double limit = 100) {
  const auto rank = made.rank();
  made.group(GroupKind::data, {rank}, {{link, 1}});
  const auto computed = made.compute(rank, seconds(1));
  made.transfer(rank, Stream::data, GroupKind::data, HandMade::bytes(100, limit), {computed});
}

struct Run {
  HandMade made;
  JobSteps log;
  LinkLedger ledger;
  Run(HandMade plan, std::vector<RepeatedJob> jobs, StepsToCount wanted)
      : made(std::move(plan)),
        log(std::move(jobs), wanted),
        ledger(
            made.plan,
            [&] {
              std::vector<std::uint32_t> job_of;
              for (std::uint32_t rank = 0; rank < made.plan.ranks.size(); ++rank)
                job_of.push_back(log.job_of(rank));
              return job_of;
            }(),
            static_cast<std::uint32_t>(log.jobs().size())) {
    ledger.count_from(log);
    execute_steps(made.plan, log, &ledger);
    ledger.close();
  }
};

/// Two jobs of a rank each on one link of 100 bytes per second.
Run two_jobs(Duration start) {
  HandMade made;
  const int link = made.link(100);
  add_job(made, link);
  add_job(made, link);
  return {std::move(made), {{0, 1, {}}, {1, 2, start}}, {1, 3}};
}

}  // namespace

TEST_CASE("A job alone repeats the step that execute() has") {
  HandMade made;
  add_job(made, made.link(50));
  const Duration step = execute(made.plan).end;
  CHECK(step == seconds(3));
  const Run run(std::move(made), {{0, 1, seconds(7)}}, {2, 3});
  CHECK(run.log.counted(0) == std::vector<Duration>(3, step));
  CHECK(run.log.opened() == seconds(7) + 2 * step);
}

TEST_CASE("Jobs in step share a link; jobs out of step do not meet") {
  const Run together = two_jobs(Duration(0));
  const Run apart = two_jobs(seconds(1));
  for (const std::uint32_t job : {0U, 1U}) {
    CHECK(together.log.counted(job) == std::vector<Duration>(3, seconds(3)));
    CHECK(apart.log.counted(job) == std::vector<Duration>(3, seconds(2)));
    const std::uint32_t other = 1 - job;
    // Two seconds at half the rate, three times: a second of each is lost to the other job.
    CHECK(together.ledger.held_up_s(0, job, other) == doctest::Approx(3));
    CHECK(together.ledger.held_up_s(0, job, job) == 0);
    CHECK(together.ledger.bytes(0, job) == doctest::Approx(300));
    CHECK(apart.ledger.held_up_s(0, job, other) == 0);
  }
  CHECK(together.ledger.seconds() == doctest::Approx(9));
}

TEST_CASE("What a job loses to its own transfers is its own fault") {
  HandMade made;
  const int link = made.link(100);
  const auto one = made.rank();
  const auto other = made.rank();
  for (const auto rank : {one, other}) {
    made.group(GroupKind::data, {rank}, {{link, 1}});
    made.transfer(rank, Stream::data, GroupKind::data, HandMade::bytes(100, 100));
  }
  const Run run(std::move(made), {{0, 2, {}}}, {0, 2});
  CHECK(run.log.counted(0) == std::vector<Duration>(2, seconds(2)));
  CHECK(run.ledger.held_up_s(0, 0, 0) == doctest::Approx(4));
}

TEST_CASE("Steps count from the one that begins when every job has warmed up beside all others") {
  HandMade made;
  const auto quick = made.rank();
  made.compute(quick, seconds(1));
  const auto slow = made.rank();
  made.compute(slow, seconds(10));
  const Run run(std::move(made), {{0, 1, {}}, {1, 2, seconds(5)}}, {1, 2});
  CHECK(run.log.opened() == seconds(15));
  CHECK(run.log.counted(1) == std::vector<Duration>(2, seconds(10)));
  CHECK(run.log.counted(0).size() >= 19);
  CHECK(run.log.counted(0).size() <= 20);
}

TEST_CASE("A job that can never finish its step is told of") {
  HandMade made;
  const auto rank = made.rank();
  const auto other = made.rank();
  made.group(GroupKind::data, {rank, other});
  made.transfer(rank, Stream::data, GroupKind::data, HandMade::bytes(1, 1));
  made.compute(other, seconds(1));
  JobSteps log({{0, 2, {}}}, {0, 1});
  CHECK_THROWS_AS(execute_steps(made.plan, log), StuckProgram);
}

}  // namespace simtrain::testing::repeated_steps_test
