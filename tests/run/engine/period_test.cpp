// Periods of a step that are as the one before: what the engine does not simulate again is as if it
// did.
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "sim/core/input/input_error.h"
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
/// which is the pass. Each takes `time`.
Program passes_of(std::uint32_t micro_batches, std::uint32_t kernels,
                  Duration time = std::chrono::microseconds(3)) {
  Program program;
  program.compute_costs.assign(kernels, {.time = time});
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

Plan alone(Program program) {
  Plan plan;
  plan.programs.push_back(std::move(program));
  plan.ranks.resize(1);
  return plan;
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
  Program same = passes_of(400, 10);
  Program changes = same;
  for (std::uint32_t op = 0; op < same.ops.size(); ++op) {
    same.ops[op].cost = same.add_cost({.time = std::chrono::seconds(1)});
    changes.ops[op].cost = changes.add_cost({.time = std::chrono::seconds(op)});
  }
  CHECK(program_periods({same}).size() == 1);
  CHECK(program_periods({changes}).empty());
  CHECK(program_periods({same, changes}).empty());
  Program once = passes_of(400, 10);
  once.ops[3000].cost = once.add_cost({.time = std::chrono::seconds(7)});
  REQUIRE(program_periods({once}).size() == 1);
  CHECK(program_periods({once})[0].end == 3000);
}

TEST_CASE("an op that waits for one of a period keeps the period from being repeated beyond it") {
  Plan plan = alone(passes_of(400, 10));
  Program& program = plan.programs.front();
  TransferCost latency_alone;
  latency_alone.latency = std::chrono::microseconds(2);
  const std::uint32_t cost = program.add_transfer(latency_alone);
  Op waits{
      .compute = false, .stream = Stream::send_forward, .group = GroupKind::self, .cost = cost};
  waits.after[0] = 2345;
  program.ops.push_back(waits);
  const Timeline timeline = execute(plan);
  const PlanBursts none;
  const Timeline whole = execute_phases({{{}, 0, &plan, &none}}).timeline;
  CHECK(same_spans(timeline.spans[0], whole.spans[0]));
  CHECK(timeline.span(0, 4000).start == timeline.span(0, 2345).end);
  CHECK(timeline.repeated > 1500);
  CHECK(timeline.repeated < 2345);
}

TEST_CASE("a step that is too long is refused where its periods would end long after") {
  for (const std::int64_t seconds : {300, 3'000, 30'000, 300'000}) {
    CAPTURE(seconds);
    CHECK_THROWS_AS(execute(alone(passes_of(400, 10, std::chrono::seconds(seconds)))), InputError);
  }
}

TEST_CASE("the flagship's steady phase is simulated for a part, and all of it is known") {
  CHECK(repeated_share(scenario("llama405b_a4_224", "")) > 0.85);
}

TEST_CASE("every schedule goes on after its periods as if they had been simulated") {
  std::size_t repeated = 0;
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
  CHECK(repeated + 2 ==
        schedule_rows().size());  // GPipe and looped BFS have one phase after another
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
  CHECK(repeated_share(job("bf16-32", with({"cp=2"}))) > 0);
  CHECK(repeated_share(job("bf16-32", with({"cp=2", "tp=4", "pp=2", "vp=1"})), true) > 0);
  CHECK(repeated_share(job("fp8-32", pipeline)) > 0);
  CHECK(repeated_share(job("bf16-32", with({"hardware.nic_bandwidth=50 Gb/s"}))) > 0);
  CHECK(repeated_periods(job("bf16-32", pipeline)).one_by_one);
  const Settings hashed{"cluster.name=clos-h100-1to1", "hardware.routing=ecmp"};
  CHECK(repeated_share(job("bf16-32", with(hashed)), true) > 0);
}

}  // namespace simtrain::testing::period_test
