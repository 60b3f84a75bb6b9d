#include "sim/measured/profiles/profile_comparison.h"

#include <cmath>
#include <numeric>

#include <doctest/doctest.h>

#include "sim/run/analysis/nccl_calls.h"
#include "sim/run/pieces/critical_path.h"
#include "sim/run/simulate.h"
#include "tests/core/checkout.h"
#include "tests/core/error_of.h"

namespace simtrain::testing::profile_comparison_test {
namespace {

Scenario scenario_of(const std::string& file, const std::string& row,
                     const std::vector<Setting>& settings = {}) {
  static const DataFolder data(source_dir());
  return ScenarioSource::from_file(source_dir() + "/scenarios/" + file)
      .scenario(data, row, settings);
}

struct ProfiledJob {
  Scenario scenario = scenario_of("llama31_70b_h100.yaml", "fp8-64", {parse_setting("gbs=32")});
  SimulatedStep simulated = simulate_step(scenario);
};

const PredictedKernels& of(const PredictedProfile& profile, KernelKind kind) {
  return profile.of(kind);
}

/// What a profiler would see, were the prediction right.
Profile seen(const PredictedProfile& predicted, std::int64_t steps) {
  Profile profile;
  profile.path = "seen.csv";
  for (const auto& [name, kind] : EnumNames<KernelKind>::rows) {
    const PredictedKernels& kernels = of(predicted, kind);
    if (kernels.calls > 0)
      profile.kernels.push_back({std::string(name), kind, kernels.calls * steps,
                                 kernels.seconds * static_cast<double>(steps)});
  }
  return profile;
}

TEST_CASE("Predicted kernels are those of the communication table and of the breakdown") {
  const ProfiledJob job;
  const Report report = report_of(job.simulated);
  const int rank =
      job.simulated.plan.ranks[busiest_rank(job.simulated.plan, job.simulated.timeline)].rank;
  const PredictedProfile profile = predicted_profile(job.simulated, rank);
  double table_s = 0;
  std::int64_t table_calls = 0;
  for (const CommunicationRow& row : report.communication) {
    table_s += row.total_s;
    table_calls += row.count;
  }
  double seconds = of(profile, KernelKind::user_buffers).seconds;
  std::int64_t calls = of(profile, KernelKind::user_buffers).calls;
  for (const KernelKind kind : {KernelKind::nccl_all_reduce, KernelKind::nccl_all_gather,
                                KernelKind::nccl_reduce_scatter, KernelKind::nccl_send_receive}) {
    seconds += of(profile, kind).seconds;
    calls += of(profile, kind).calls;
  }
  CHECK(calls == table_calls);
  // Stretched beside other transfers, never shortened.
  CHECK(seconds >= table_s * (1 - 1e-6));
  CHECK(seconds < table_s * 1.2);
  CHECK(of(profile, KernelKind::gemm).seconds > part(report.breakdown, Share::gemm) * 0.9);
  CHECK(of(profile, KernelKind::attention).seconds ==
        doctest::Approx(part(report.breakdown, Share::attention)).epsilon(0.1));
  CHECK(of(profile, KernelKind::optimizer).calls == 3);
  CHECK(of(profile, KernelKind::cast).calls > 0);
}

TEST_CASE("A rank that waits for its neighbours has waiting in its messages") {
  const ProfiledJob job;
  const PredictedProfile profile = predicted_profile(job.simulated, 0);
  const PredictedKernels& messages = of(profile, KernelKind::nccl_send_receive);
  CHECK(messages.waiting_s > 0);
  CHECK(messages.waiting_s < 2 * report_of(job.simulated).step_time_s);
}

TEST_CASE("What a rank waits for the slowest one is predicted, and in no kind of kernel") {
  const ProfiledJob job;
  const double wait = predicted_profile(job.simulated, 0).straggler_wait_s;
  const Report report = report_of(job.simulated);
  CHECK(wait > 0);
  CHECK(wait < 0.1 * report.step_time_s);
  CHECK(wait == doctest::Approx(part(report.breakdown, Share::stragglers)).epsilon(0.3));
}

TEST_CASE("The busy time of a step is the union of what runs, waits among it counted once") {
  const ProfiledJob job;
  const double whole = to_seconds(job.simulated.timeline.end);
  for (const int rank : {0, 5, 63}) {
    CAPTURE(rank);
    const PredictedProfile profile = predicted_profile(job.simulated, rank);
    CHECK(profile.busy_s < whole);  // nothing runs while the host waits for the norm
    double compute = 0;
    for (const KernelKind kind : {KernelKind::gemm, KernelKind::attention, KernelKind::norm,
                                  KernelKind::optimizer, KernelKind::loss, KernelKind::cast})
      compute += profile.of(kind).seconds;
    CHECK(profile.busy_s >= compute + profile.straggler_wait_s);
  }
}

TEST_CASE("Predicted calls count what for_each_nccl_call gives") {
  const ProfiledJob job;
  std::int64_t calls = 0;
  for_each_nccl_call(job.simulated, 63, [&](const NcclCall&) { ++calls; });
  const CallCounts counts = predicted_calls(job.simulated, 63);
  CHECK(calls ==
        std::accumulate(counts.begin(), counts.end(), std::int64_t{0},
                        [](std::int64_t sum, const auto& one) { return sum + one.second; }));
}

TEST_CASE("A profile that is as predicted, of three steps") {
  const ProfiledJob job;
  Profile profile = seen(predicted_profile(job.simulated, 5), 3);
  profile.place = RankPlace{5, 64};
  const auto comparisons = compare_profile(job.simulated, profile, {});
  REQUIRE(comparisons.size() == 1);
  CHECK(comparisons[0].rank == 5);
  CHECK(comparisons[0].rank_from == "stated in the profile");
  CHECK(comparisons[0].steps == 3);
  for (const KernelRow& row : comparisons[0].kernels) {
    CHECK(row.measured_calls == static_cast<double>(row.predicted.calls));
    CHECK(row.measured_s == doctest::Approx(row.predicted.seconds));
  }
}

TEST_CASE("Where the rank and the steps of a profile come from") {
  const ProfiledJob job;
  Profile profile = seen(predicted_profile(job.simulated, 5), 3);
  profile.place = RankPlace{5, 128};  // of another job
  const int busiest =
      job.simulated.plan.ranks[busiest_rank(job.simulated.plan, job.simulated.timeline)].rank;
  CHECK(compare_profile(job.simulated, profile, {std::nullopt, 1})[0].rank == busiest);
  CHECK(compare_profile(job.simulated, profile, {std::nullopt, 1})[0].rank_from ==
        "the busiest one; --rank N would take another; the profile is of rank 5 of 128, the job "
        "has 64");
  CHECK(compare_profile(job.simulated, profile, {7, std::nullopt})[0].rank == 7);
  profile.place = RankPlace{5, 64};
  CHECK(compare_profile(job.simulated, profile, {7, 1})[0].rank_from ==
        "--rank; the profile states rank 5");
  profile.place = RankPlace{5, 128};
  CHECK(compare_profile(job.simulated, profile, {7, 2})[0].steps == 2);
  CHECK(compare_profile(job.simulated, profile, {7, std::nullopt})[0].steps == 3);
  profile.steps = 6;
  CHECK(compare_profile(job.simulated, profile, {})[0].steps == 6);
  profile.gpus = 2;
  CHECK(compare_profile(job.simulated, profile, {})[0].steps == 12);
  profile.gpus = 1;
  profile.steps.reset();
  for (ProfiledKernel& kernel : profile.kernels) kernel.calls += 1;
  CHECK(error_of([&] { compare_profile(job.simulated, profile, {}); }) ==
        "seen.csv: --steps: marks no steps, and its collectives are no common multiple of "
        "predicted ones, so that it is not known how many steps this is; --steps N gives it");
  CHECK(error_of([&] {
          compare_profile(job.simulated, profile, {64, 1});
        }) == "--rank: there is no 64; 0 to 63 would do");
}

TEST_CASE("Processes of a log by their ranks") {
  const ProfiledJob job;
  Profile profile;
  profile.path = "nccl.log";
  profile.processes = {{"a:1", RankPlace{0, 64}, predicted_calls(job.simulated, 0)},
                       {"a:2", RankPlace{1, 64}, predicted_calls(job.simulated, 1)},
                       {"b:1", RankPlace{63, 64}, predicted_calls(job.simulated, 63)}};
  CHECK(compare_profile(job.simulated, profile, {}).size() == 3);
  const auto chosen = compare_profile(job.simulated, profile, {63, std::nullopt});
  REQUIRE(chosen.size() == 1);
  CHECK(chosen[0].process == "b:1");
  for (const CallRow& row : chosen[0].calls) CHECK(row.predicted == row.logged);
  CHECK(error_of([&] {
          compare_profile(job.simulated, profile, {9, std::nullopt});
        }) == "nccl.log: --rank: holds no calls of rank 9");
  profile.processes[0].place.reset();
  CHECK(compare_profile(job.simulated, profile, {}).size() == 3);
  const auto only = compare_profile(job.simulated, profile, {63, std::nullopt});
  REQUIRE(only.size() == 1);
  CHECK(only[0].process == "b:1");
  CHECK(compare_profile(job.simulated, profile, {9, 1})[0].process == "a:1");
  profile.processes[1].place = RankPlace{0, 2};
  CHECK(error_of([&] { compare_profile(job.simulated, profile, {}); }) ==
        "nccl.log: holds calls of 2 processes whose ranks are unknown; the log of one process "
        "with --rank N would do");
}

}  // namespace
}  // namespace simtrain::testing::profile_comparison_test
