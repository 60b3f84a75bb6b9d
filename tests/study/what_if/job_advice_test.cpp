#include "sim/study/what_if/job_advice.h"

#include <doctest/doctest.h>

#include "tests/run/scenarios.h"

namespace simtrain::testing::job_advice_test {
namespace {

using testing::data_folder;
using testing::scenario_file;

struct Advised {
  std::vector<Setting> settings;
  AdvisedJob job;
};

const Advised& small() {
  static const Advised advised = [] {
    Advised result;
    for (const char* text :
         {"job.tokens=1e12", "job.failures=production-h100", "job.spare_nodes=1", "job.runs=250",
          "job.checkpoint.storage=lustre-superpod", "job.checkpoint.save_interval=40"})
      result.settings.push_back(parse_setting(text));
    const ScenarioSource source = scenario_file("llama31_8b_h100");
    const DataFolder data = data_folder();
    const ExplainRequest request{source, data, "bf16-64", result.settings};
    const Scenario scenario = source.scenario(data, request.row, result.settings);
    result.job = advised_job(request, simulate_step(scenario),
                             load_job(data, scenario, source.tree(request.row, result.settings)));
    return result;
  }();
  return advised;
}

const JobAdvice* find(const std::string& start) {
  for (const JobAdvice& advice : small().job.advice) {
    if (advice.change.starts_with(start)) return &advice;
  }
  return nullptr;
}

TEST_CASE("Advice is of what saves more than chance, the best first") {
  const AdvisedJob& job = small().job;
  CHECK(job.runs == 200);
  REQUIRE(job.advice.size() > 3);
  const JobSummary& summary = job.goodput.summary;
  const double hours = summary.gpu_hours + summary.spare_gpu_hours;
  for (std::size_t i = 0; i < job.advice.size(); ++i) {
    const JobAdvice& advice = job.advice[i];
    CAPTURE(advice.change);
    CHECK((advice.saved_s > 0.9 * kRealGain * summary.elapsed_s.mean ||
           advice.saved_gpu_hours > 0.9 * kRealGain * hours));
    CHECK(advice.saved_usd == 0);
    if (i > 0) CHECK(advice.saved_s <= job.advice[i - 1].saved_s);
  }
}

TEST_CASE("Changes of the step and of the job stand in one list") {
  const Goodput& goodput = small().job.goodput;
  const JobAdvice* precision = find("precision: bf16 -> fp8");
  const JobAdvice* async = find("async_save true");
  REQUIRE(precision != nullptr);
  REQUIRE(async != nullptr);
  CHECK(precision->kind == AdviceKind::setting);
  CHECK(precision->step_time_s < goodput.plan.step_s);
  CHECK(async->step_time_s == goodput.plan.step_s);
  CHECK(async->settings.size() == 2);
  const JobAdvice* clock = find("no power limit");
  REQUIRE(clock != nullptr);
  CHECK(clock->kind == AdviceKind::condition);
  CHECK(clock->settings.empty());
  // What does not fit or makes the step slower is no advice.
  for (const ChangeResult& change : small().job.why.changes) {
    if (change.fits && change.relative < 0) continue;
    CHECK(find(change.name + ": " + change.from + " -> " + change.to) == nullptr);
  }
}

TEST_CASE("A faster step saves its share of steps, and the failures that would have come") {
  const AdvisedJob& job = small().job;
  const JobAdvice& precision = *find("precision: bf16 -> fp8");
  const double ideal = job.goodput.plan.ideal_s();
  const double share = precision.step_time_s / job.goodput.plan.step_s;
  // Saves take as long as ever, so that less than the share of the whole is saved.
  CHECK(precision.saved_s >= ideal * (1 - share));
  CHECK(precision.saved_s < job.goodput.summary.elapsed_s.mean * (1 - share));
}

}  // namespace
}  // namespace simtrain::testing::job_advice_test
