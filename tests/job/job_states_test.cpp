#include "sim/job/plan/job_states.h"

#include <doctest/doctest.h>

#include "sim/core/input/input_error.h"
#include "sim/run/simulate.h"
#include "tests/core/checkout.h"
#include "tests/core/data_folder.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::job_states_test {
namespace {

JobInputs inputs_of(const std::vector<std::string>& settings) {
  const std::string path = source_dir() + "/scenarios/llama31_405b_job_h100.yaml";
  const auto source = ScenarioSource::from_file(path);
  std::vector<Setting> parsed;
  for (const std::string& text : settings) parsed.push_back(parse_setting(text));
  return load_job(data_folder(), source.scenario(data_folder(), "", parsed),
                  source.tree("", parsed));
}

}  // namespace

TEST_CASE("a device that is slow while replicas are missing is a state of its own, simulated") {
  const JobInputs job = inputs_of({"job.elastic_replicas=2"});
  const JobCheckpoints checkpoints = job_checkpoints(job);
  const JobStates states = job_states(job, checkpoints);
  REQUIRE(states.smaller.size() == 3);
  std::vector<Report> reports;
  for (const StepState& state : states.states) reports.push_back(simulate(state.scenario));
  const JobPlan plan = job_plan(job, checkpoints, states, reports);
  std::size_t slow = 0;
  for (std::size_t row = 0; row < states.slowed.size(); ++row) {
    REQUIRE(plan.failures[row].slowdowns.size() == 3);
    if (states.slowed[row][0] == 0) {
      CHECK(plan.failures[row].slowdowns == std::vector<double>{1, 1, 1});
      continue;
    }
    ++slow;
    for (std::size_t k = 0; k < 3; ++k) {
      const Report& both = reports[states.slowed[row][k]];
      const Report& missing = reports[states.smaller[k]];
      CHECK(states.slowed[row][k] != states.smaller[k]);
      CHECK(both.gpus == missing.gpus);
      CHECK(plan.failures[row].slowdowns[k] ==
            std::max(1.0, both.step_time_s / missing.step_time_s));
    }
  }
  CHECK(slow > 0);
}

TEST_CASE("checkpoints of both kinds slow the steps beside them by what they take of the network") {
  const JobInputs job =
      inputs_of({"job.checkpoint.non_persistent_storage=host-memory-replicated",
                 "job.checkpoint.non_persistent_save_interval=10", "cluster.name=clos-h100-4to1"});
  const JobCheckpoints checkpoints = job_checkpoints(job);
  CHECK_FALSE(checkpoints.persistent_use.takes());
  REQUIRE(checkpoints.local_use.takes());
  CHECK_FALSE(checkpoints.local_use.left.links.empty());
  const JobStates states = job_states(job, checkpoints);
  CHECK(states.saving == 0);
  REQUIRE(states.saving_local > 0);
  std::vector<Report> reports;
  for (const StepState& state : states.states) reports.push_back(simulate(state.scenario));
  const JobPlan plan = job_plan(job, checkpoints, states, reports);
  CHECK(plan.persistent.slows_s == 0);
  const double slower = 1 - plan.step_s / reports[states.saving_local].step_time_s;
  CHECK(slower > 0);
  CHECK(plan.local.slows_s == doctest::Approx(checkpoints.local.network_s * slower));
}

TEST_CASE("a storage that a failure may take with all its copies keeps no job's only checkpoints") {
  const auto refusal = [](const std::vector<std::string>& settings) {
    try {
      inputs_of(settings);
    } catch (const InputError& error) {
      return error.reason();
    }
    return std::string();
  };
  CHECK(refusal({"job.checkpoint.storage=nvme-node"}) ==
        "job.checkpoint.storage: 'nvme-node' is lost with its node; one that is shared, replicated "
        "or drains_to another would do");
  CHECK(refusal({"job.checkpoint.storage=host-memory-replicated"}) ==
        "job.checkpoint.storage: 'host-memory-replicated' is lost with its unit, and "
        "'production-h100' loses whole units; as non_persistent_storage beside one that is shared "
        "it would do");
  CHECK(refusal({"job.checkpoint.storage=host-memory-replicated", "job.failures=llama3-h100"})
            .empty());
  CHECK(refusal({"job.checkpoint.non_persistent_storage=tiered-nvme-object",
                 "job.checkpoint.non_persistent_save_interval=10"}) ==
        "job.checkpoint.non_persistent_storage: 'tiered-nvme-object' drains to another storage; as "
        "storage it would do");
}

TEST_CASE("starts take what the first step in a log takes, of the software and the GPUs") {
  const JobInputs job = inputs_of({});
  const Report report = simulate(job.scenario);
  const JobStates states = job_states(job, job_checkpoints(job));
  const JobPlan plan = job_plan(job, job_checkpoints(job), states,
                                std::vector<Report>(states.states.size(), report));
  CHECK(plan.first_step_s == job.events.first_step_s(report.software));
  CHECK(plan.groups_s == job.events.connections_s(report.gpus));
}

TEST_CASE("a job's own faults do not come and go") {
  const JobInputs job =
      inputs_of({"cluster.faults.gpus=[{host: 0, gpu: 0, slowdown: 2, for: 30 s}]"});
  CHECK_THROWS_AS(job_states(job, job_checkpoints(job)), InputError);
}

}  // namespace simtrain::testing::job_states_test
