// Replicas that leave a job and come back while the others go on.

#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "sim/core/input/input_error.h"
#include "sim/job/goodput/job_summary.h"
#include "sim/job/plan/job_states.h"
#include "sim/run/simulate.h"
#include "tests/core/checkout.h"
#include "tests/core/data_folder.h"
#include "tests/job/plans.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::fault_tolerance_test {
namespace {

/// A job of 20 sets of 5 nodes of which up to `out` may be gone, each with a twentieth of the work.
JobPlan tolerant_job(double steps, int out) {
  JobPlan plan = small_job(steps);
  plan.nodes_apart = 5;
  plan.replicas = ReplicaPlan{20, 60, 5, 7, 2, 1};
  for (int k = 1; k <= out; ++k) plan.smaller.push_back({10, 1 - k / 20.0});
  return plan;
}

FailureKind of_sets(FailureKind kind, int sets) {
  kind.sets = sets;
  return kind;
}

JobSummary runs_of(const JobPlan& plan, int runs = 100) {
  std::vector<JobRun> all;
  all.reserve(static_cast<std::size_t>(runs));
  for (int run = 0; run < runs; ++run)
    all.push_back(simulate_job(plan, static_cast<std::uint32_t>(run)));
  return summary_of(plan, all);
}

JobInputs job_of(const std::vector<std::string>& settings) {
  const auto source =
      ScenarioSource::from_file(source_dir() + "/scenarios/llama31_405b_job_h100.yaml");
  std::vector<Setting> parsed{parse_setting("sharding.data_parallel_replicate_degree=4"),
                              parse_setting("job.checkpoint.save_interval=100")};
  parsed.reserve(settings.size() + 2);
  for (const std::string& text : settings) parsed.push_back(parse_setting(text));
  return load_job(data_folder(), source.scenario(data_folder(), "", parsed),
                  source.tree("", parsed));
}

std::string refusal(const std::vector<std::string>& settings) {
  try {
    static_cast<void>(job_of(settings));
  } catch (const InputError& error) {
    return error.reason();
  }
  return "";
}

}  // namespace

TEST_CASE("A replica that fails costs the others a stall, a step's part and its tokens") {
  const double mean = 20000;
  JobPlan plan = with(tolerant_job(kNever, 6), of_sets(failure(FailureEffect::stops, mean), 1));
  plan.persistent.interval = 0;
  plan.horizon_s = 2e6;
  const JobSummary result = runs_of(plan);
  const double failures = plan.horizon_s / mean;
  CHECK(result.interruptions.mean == doctest::Approx(failures).epsilon(0.02));
  CHECK(result.restarts < 0.1);  // its first start may fail
  // A set that is out is found by one failure in twenty of the time in which it is.
  const double out_s = 60 + 60 + 120 + 2 + 1 + 80;
  const double departures = failures * (1 - out_s / mean / 20);
  CHECK(result.departures == doctest::Approx(departures).epsilon(0.02));
  CHECK(result.used[TimeUse::detection] == doctest::Approx(departures * 60).epsilon(0.02));
  CHECK(result.used[TimeUse::groups] == doctest::Approx(departures * (5 + 7)).epsilon(0.03));
  CHECK(result.used[TimeUse::lost_work] == doctest::Approx(departures * 5).epsilon(0.05));
  // Of its time out the others train what is not their own stall, with a twentieth less.
  CHECK(result.used[TimeUse::slowed] ==
        doctest::Approx(departures * (out_s - 65) / 20).epsilon(0.05));
  SUBCASE("the job is much better off than one that starts again") {
    plan.replicas.reset();
    plan.persistent.interval = daly_interval_steps(plan);
    CHECK(runs_of(plan).goodput.mean < result.goodput.mean - 0.02);
  }
}

TEST_CASE("Uses of time sum to the run, and steps are those that stay, whatever leaves") {
  std::mt19937 random(7);
  const auto draw = [&](double low, double high) {
    return low * std::exp(std::log(high / low) * static_cast<double>(random()) / 4294967296.0);
  };
  for (int job = 0; job < 60; ++job) {
    CAPTURE(job);
    JobPlan plan = tolerant_job(std::round(draw(100, 20000)), 1 + job % 4);
    plan.seed = static_cast<std::uint64_t>(job);
    plan.persistent.interval = std::round(draw(5, 1000));
    plan.persistent.async = job % 2 == 0;
    plan.eval_s = job % 3 == 0 ? 0.7 : 0;
    plan.spares = job % 5 * 3;
    plan.manual_share = 0.1;
    plan.manual_s = 500;
    plan.failures = {of_sets(failure(FailureEffect::stops, draw(500, 1e6), 1), 1),
                     of_sets(failure(FailureEffect::stops, draw(500, 1e6)), 2),
                     of_sets(failure(FailureEffect::stops, draw(5000, 1e6), 30), 9),
                     of_sets(failure(FailureEffect::slows, draw(500, 1e6), 1), 1),
                     of_sets(failure(FailureEffect::planned, draw(5000, 1e6), 1), 1),
                     failure(FailureEffect::corrupts, draw(5000, 1e6), 1),
                     failure(FailureEffect::stops, draw(5000, 1e6))};
    for (FailureKind& kind : plan.failures) kind.slowdowns.assign(plan.smaller.size(), 1);
    plan.failures[3].slowdowns.assign(plan.smaller.size(), 1.3);
    for (std::uint32_t run = 0; run < 3; ++run) {
      CAPTURE(run);
      const JobRun result = simulate_job(plan, run);
      CHECK(result.used.total() == doctest::Approx(result.elapsed_s).epsilon(1e-9));
      for (const auto& row : EnumNames<TimeUse>::rows) CHECK(result.used[row.second] >= 0);
      CHECK(result.used[TimeUse::training] == doctest::Approx(result.steps * 10).epsilon(1e-9));
      if (result.finished) CHECK(result.steps == plan.goal_steps);
      CHECK(result.goodput() <= result.effective_time() + 1e-9);
      CHECK(simulate_job(plan, run).elapsed_s == result.elapsed_s);
    }
  }
}

TEST_CASE("What ends all of the job goes back to a checkpoint, with replicas or without") {
  JobPlan plan = with(tolerant_job(kNever, 2), failure(FailureEffect::stops, 20000));
  plan.horizon_s = 1e6;
  JobPlan whole = plan;
  whole.replicas.reset();
  const JobSummary tolerant = runs_of(plan, 20);
  CHECK(tolerant.departures == 0);
  CHECK(tolerant.goodput.mean == runs_of(whole, 20).goodput.mean);
  CHECK(plan.returns_per_s() == plan.interruptions_per_s());
}

TEST_CASE("A failure of all sets is one of the job; of more than may be out, they wait") {
  JobPlan plan = with(tolerant_job(kNever, 2), of_sets(failure(FailureEffect::stops, 50000), 20));
  plan.horizon_s = 1e6;
  const JobSummary all = runs_of(plan, 20);
  CHECK(all.restarts == doctest::Approx(20).epsilon(0.2));
  CHECK(all.used[TimeUse::lost_work] > 0);
  plan.failures[0].sets = 5;
  const JobSummary five = runs_of(plan, 20);
  CHECK(five.restarts == 0);
  // Five start in 263 s; the stall of 65 s is a part of that, and none comes back before the
  // others.
  const double each = five.used[TimeUse::waiting] / (five.departures / 5);
  CHECK(each == doctest::Approx(263 + 60 - 65).epsilon(0.05));
}

TEST_CASE("Without spares a set waits for its node, and nodes of broken sets make whole ones") {
  JobPlan plan = with(tolerant_job(kNever, 6), of_sets(failure(FailureEffect::stops, 50000, 1), 1));
  plan.failures[0].repair_s = 36000;
  plan.horizon_s = 4e6;
  const JobSummary none = runs_of(plan, 50);
  plan.spares = 20;
  const JobSummary some = runs_of(plan, 50);
  CHECK(some.goodput.mean > none.goodput.mean + 0.01);
  // Of two that lack one node each, one can be made whole: one set is out in the mean of more time.
  plan.spares = 0;
  plan.nodes_apart = 1;
  CHECK(runs_of(plan, 50).goodput.mean < none.goodput.mean);
}

TEST_CASE("Sets that a node and a unit break follow from where their ranks are") {
  // 512 nodes of 8 GPUs, TP 8: a node is one place of one stage of one group of 4.
  const JobReplicas groups = job_replicas(job_of({}).scenario);
  CHECK(groups.gpus == 1024);
  CHECK(groups.nodes == 128);
  CHECK(groups.sets == 4);
  CHECK(groups.sets_of_node == 1);
  CHECK(groups.sets_of_unit == 2);  // of a stage each has 16 nodes, and 32 are below a leaf
  // Replicas of less than a node leave by nodes.
  const JobReplicas small = job_replicas(
      job_of({"sharding.data_parallel_replicate_degree=1",
              "parallelism.tensor_model_parallel_size=4",
              "parallelism.pipeline_model_parallel_size=1", "parallelism.context_parallel_size=1",
              "parallelism.virtual_pipeline_model_parallel_size=1"})
          .scenario);
  CHECK(small.gpus == 4);
  CHECK(small.together == 2);
  CHECK(small.nodes == 1);
  CHECK(small.sets_of_node == 1);
}

TEST_CASE("A job with replicas that come back is planned from its scenario") {
  const JobInputs job = job_of({"job.fault_tolerance=torchft", "job.elastic_replicas=1"});
  const JobCheckpoints checkpoints = job_checkpoints(job);
  const JobStates states = job_states(job, checkpoints);
  REQUIRE(states.smaller.size() == 2);
  const Scenario& smaller = states.states[states.smaller[1]].scenario;
  CHECK(smaller.recipe.sharding.data_parallel_replicate_degree == 3);
  CHECK(smaller.gpus() == 3072);
  std::vector<Report> reports;
  reports.reserve(states.states.size());
  for (const StepState& state : states.states) reports.push_back(simulate(state.scenario));
  const JobPlan plan = job_plan(job, checkpoints, states, reports);
  REQUIRE(plan.replicas.has_value());
  CHECK(plan.replicas->sets == 4);
  CHECK(plan.smaller[1].share == doctest::Approx(0.75));
  CHECK(plan.replicas->groups_s == doctest::Approx(3 * 1.024));
  // 14 bytes of each parameter over 1024 NICs of 50 GB/s, less what they lose.
  CHECK(plan.replicas->fetch_s > checkpoints.shape.bytes / 1024 / 50e9);
  CHECK(plan.replicas->fetch_s < 1.2 * checkpoints.shape.bytes / 1024 / 50e9);
  CHECK(plan.returns_per_s() < plan.interruptions_per_s());
}

TEST_CASE("What cannot go on without a replica is refused") {
  const std::string tolerant = "job.fault_tolerance=torchft";
  CHECK(refusal({tolerant}) ==
        "job.elastic_replicas: 0 leave no replica out; job.fault_tolerance needs 1, which fill 128 "
        "nodes, or more");
  CHECK(refusal({tolerant, "job.elastic_replicas=4"}) ==
        "job.elastic_replicas: 4 of 4 replicas leave none; 3 would do");
  CHECK(
      refusal({tolerant, "job.elastic_replicas=1", "sharding.data_parallel_replicate_degree=1"}) ==
      "job.fault_tolerance: needs replicas that each hold all of the state; "
      "sharding.data_parallel_replicate_degree above 1 or strategy ddp would do");
  CHECK(refusal({"job.fault_tolerance=torch", "job.elastic_replicas=1"}) ==
        "job.fault_tolerance: 'torch' is not in hardware/fault_tolerance; did you mean 'torchft'?");
}

}  // namespace simtrain::testing::fault_tolerance_test
