// Periods of a step that are as the one before: what the engine does not simulate again is as if it
// did.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sim/run/engine/period/program_period.h"
#include "sim/workload/schedule/schedule.h"
#include "tests/run/repeated_periods.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::period_test {

namespace {

using Settings = std::vector<std::string>;

/// The share of a step's events that were not simulated, and as they are where all are.
double repeated_share(const Scenario& asked, bool unfold = false) {
  const RepeatedPeriods found = repeated_periods(asked, unfold);
  CHECK(found.same);
  return found.share;
}

/// Forwards of so many micro-batches, of `kernels` ops each that follow one another, the first of
/// which is the pass.
Program passes_of(std::uint32_t micro_batches, std::uint32_t kernels) {
  Program program;
  for (std::uint32_t micro_batch = 0; micro_batch < micro_batches; ++micro_batch) {
    for (std::uint32_t i = 0; i < kernels; ++i) {
      Op op{
          .label = i == 0 ? Label::forward : Label::kernel, .micro_batch = micro_batch, .cost = i};
      if (!program.ops.empty()) op.after[0] = static_cast<std::uint32_t>(program.ops.size() - 1);
      program.ops.push_back(op);
    }
  }
  return program;
}

}  // namespace

TEST_CASE("the period of a program is the least of enough ops, from where all before it repeats") {
  const std::vector<ProgramPeriod> found = program_periods({passes_of(400, 10), passes_of(400, 3)});
  REQUIRE(found.size() == 2);
  CHECK(found[0].ops == 70);   // of seven micro-batches: the first of 64 ops or more
  CHECK(found[0].first == 1);  // the first op waits for nothing
  CHECK(found[0].end == 4000);
  CHECK(found[1].ops == 21);  // of as many micro-batches
  CHECK(found[1].holds(1));
  CHECK_FALSE(found[1].holds(0));
  CHECK_FALSE(found[1].holds(1200));
}

TEST_CASE(
    "programs of few periods, of other costs on the way or of unlike micro-batches have none") {
  CHECK(program_periods({passes_of(55, 10)}).empty());
  CHECK(program_periods({passes_of(57, 10)}).size() == 1);
  CHECK(program_periods({Program{}}).empty());
  Program changes = passes_of(400, 10);
  for (std::size_t op = 0; op < changes.ops.size(); ++op)
    changes.ops[op].cost = static_cast<std::uint32_t>(op);
  CHECK(program_periods({changes}).empty());
  CHECK(program_periods({passes_of(400, 10), changes}).empty());
  Program once = passes_of(400, 10);
  once.ops[3000].cost = 77;
  REQUIRE(program_periods({once}).size() == 1);
  CHECK(program_periods({once})[0].end == 3000);
}

TEST_CASE("the flagship's steady phase is simulated for a tenth, and all of it is known") {
  CHECK(repeated_share(scenario("llama405b_a4_224", "")) > 0.85);
}

TEST_CASE("every schedule goes on after its periods as if they had been simulated") {
  int repeated = 0;
  for (const ScheduleRow& row : schedule_rows()) {
    CAPTURE(name_of(row.kind));
    Settings settings{"nodes=4",
                      "tp=2",
                      "pp=4",
                      "cp=1",
                      "gbs=640",
                      "training.seq_length=2048",
                      "overlap.tp_comm_overlap=false",
                      "overlap.overlap_p2p_comm=true",
                      "overlap.defer_embedding_wgrad_compute=false",
                      "vp=" + std::to_string(row.least_chunks),
                      "parallelism.pipeline_schedule=" + std::string(name_of(row.kind))};
    if (repeated_share(scenario("llama31_8b_h100", "bf16-32", settings)) > 0) ++repeated;
  }
  CHECK(repeated == 7);  // those whose steady phase has a period
}

TEST_CASE("steps whose passes share links, fold partly or not at all do so too") {
  const auto job = [](const std::string& row, Settings settings) {
    settings.insert(settings.end(), {"gbs=960", "training.seq_length=2048"});
    return scenario("llama31_8b_h100", row, settings);
  };
  const Settings pipeline{"nodes=4", "tp=2", "pp=4", "vp=2", "cp=1"};
  const auto with = [&](const Settings& more) {
    Settings all = pipeline;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  CHECK(repeated_share(job("bf16-32", pipeline), true) > 0);
  CHECK(repeated_share(job("bf16-32", with({"cluster.placement=spread"}))) > 0);
  repeated_share(job("bf16-32", with({"cp=2"})));
  repeated_share(job("bf16-32", with({"cp=2", "tp=4", "pp=2", "vp=1"})), true);
  repeated_share(job("fp8-32", pipeline));
  repeated_share(job("bf16-32", with({"hardware.nic_bandwidth=50 Gb/s"})));
  repeated_share(job("bf16-32", with({"cluster.faults.gpus=[{host: 1, gpu: 2, slowdown: 1.2}]"})));
  repeated_share(scenario("mixtral_8x7b_h200", "bf16-256", {"gbs=4096"}));
  const Settings hashed{"cluster.name=clos-h100-1to1", "hardware.routing=ecmp"};
  CHECK(repeated_share(job("bf16-32", with(hashed)), true) > 0);
}

}  // namespace simtrain::testing::period_test
