#include "sim/job/plan/data_loading.h"

#include <doctest/doctest.h>

#include "sim/job/plan/job_states.h"
#include "sim/job/simulation/job_run.h"
#include "sim/run/simulate.h"
#include "tests/core/checkout.h"
#include "tests/core/data_folder.h"
#include "tests/job/plans.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::data_loading_test {
namespace {

JobInputs fed_job(const std::string& data) {
  const auto source =
      ScenarioSource::from_file(source_dir() + "/scenarios/llama31_405b_job_h100.yaml");
  const std::vector<Setting> settings{parse_setting("job.data=" + data)};
  return load_job(data_folder(), source.scenario(data_folder(), "", settings),
                  source.tree("", settings));
}

DataPlan plan_of(const JobInputs& job) {
  return data_plan(data_shape(job.scenario, *job.spec.data), *job.spec.data, *job.data);
}

}  // namespace

TEST_CASE("The first ranks of TP groups at both ends of the pipeline read whole sequences") {
  // 4,096 GPUs: TP 8, CP 2, PP 8, DP 32; 2,048 sequences of 8,192; 128,256 tokens in the
  // vocabulary.
  const JobInputs job = fed_job("{storage: lustre-superpod}");
  const DataShape shape = data_shape(job.scenario, *job.spec.data);
  CHECK(shape.loaders == 2 * 64);
  CHECK(shape.nodes == 2 * 64);
  CHECK(shape.samples == 64);
  CHECK(shape.bytes_per_sample == 8192 * 4);
  CHECK(shape.bytes == 128.0 * 64 * 8192 * 4);
  CHECK(bytes_of_token(65499) == 2);
  CHECK(bytes_of_token(65500) == 4);
}

TEST_CASE("A stage with both ends reads once, and of two copies of the model each reads its own") {
  const auto shape_of = [](Scenario scenario, PipelineSchedule schedule, int chunks) {
    scenario.recipe.parallelism.pipeline_schedule = schedule;
    scenario.recipe.parallelism.virtual_pipeline_model_parallel_size = chunks;
    return data_shape(scenario, {});
  };
  const Scenario scenario = fed_job("{storage: lustre-superpod}").scenario;
  const DataShape apart = shape_of(scenario, PipelineSchedule::interleaved, 2);
  const DataShape in_v = shape_of(scenario, PipelineSchedule::zero_bubble_v, 2);
  CHECK(in_v.loaders == apart.loaders / 2);
  CHECK(in_v.samples == apart.samples);
  CHECK(in_v.bytes == apart.bytes / 2);
  const DataShape copies = shape_of(scenario, PipelineSchedule::dual_pipe, 1);
  CHECK(copies.loaders == apart.loaders);
  CHECK(copies.samples == apart.samples / 2);
  CHECK(copies.bytes == apart.bytes / 2);
}

TEST_CASE("Workers, nodes and the storage each bound how soon a step is fed") {
  const DataPlan text = plan_of(fed_job("{storage: lustre-superpod}"));
  CHECK(text.shared_s == doctest::Approx(128.0 * 64 * 8192 * 4 / 500e9));
  CHECK(text.own_s == doctest::Approx(32 * 8192 * 4 / 2.82e9));
  CHECK(text.wait_s(19, 1) == 0);
  const DataPlan made = plan_of(fed_job("{storage: lustre-superpod, sample_time: 1 s}"));
  CHECK(made.own_s == doctest::Approx(32 + text.own_s));
  CHECK(made.wait_s(20, 1) == doctest::Approx(12 + text.own_s));
  const DataPlan alone =
      plan_of(fed_job("{storage: lustre-superpod, sample_time: 1 s, num_workers: 0}"));
  CHECK(alone.wait_s(20, 1) == doctest::Approx(64 + 2 * text.own_s));
  // A sample of a GB: 128 nodes of 40 GB/s have 8.2 TB of them in 1.6 s, all of the storage
  // in 16.4.
  const DataPlan heavy =
      plan_of(fed_job("{storage: lustre-superpod, num_workers: 64, bytes_per_token: 122070}"));
  CHECK(heavy.shared_s == doctest::Approx(16.4).epsilon(0.01));
  CHECK(heavy.own_s == doctest::Approx(1.6).epsilon(0.02));
  CHECK(heavy.wait_s(10, 0.5) == 0);
}

TEST_CASE("Steps wait for their data, those of slow devices less") {
  JobPlan plan = small_job(1000);
  plan.data = {13, 0, true};
  const JobRun run = simulate_job(plan, 0);
  CHECK(run.used[TimeUse::data] == doctest::Approx(3000));
  CHECK(run.used[TimeUse::training] == doctest::Approx(10000));
  CHECK(run.used.total() == doctest::Approx(run.elapsed_s));
  CHECK(run.elapsed_s == doctest::Approx(10443 + 3000));
  plan.failures = {failure(FailureEffect::slows, 1)};  // all along
  plan.failures[0].slowdowns = {1.2};
  plan.failures[0].detection_s = 1e9;
  const JobRun slow = simulate_job(plan, 0);
  CHECK(slow.used[TimeUse::data] == doctest::Approx(1000).epsilon(0.01));
  CHECK(slow.used[TimeUse::slowed] == doctest::Approx(2000).epsilon(0.01));
  plan.failures.clear();
  plan.data.ahead = false;
  CHECK(simulate_job(plan, 0).used[TimeUse::data] == doctest::Approx(13000));
}

TEST_CASE("Power over a run counts waits for data as waits") {
  JobPlan plan = with(small_job(3000), failure(FailureEffect::stops, 9000));
  plan.persistent.async = true;
  plan.persistent.slows_s = 3;
  plan.data = {13, 0, true};
  const JobRun run = simulate_job(plan, 2);
  UseTrace trace(run.elapsed_s, 1000);
  static_cast<void>(simulate_job(plan, 2, &trace));
  double traced = 0;
  for (const UsedTime& part : trace.parts()) traced += part[TimeUse::data];
  CHECK(traced == doctest::Approx(run.used[TimeUse::data]).epsilon(1e-6));
}

}  // namespace simtrain::testing::data_loading_test
