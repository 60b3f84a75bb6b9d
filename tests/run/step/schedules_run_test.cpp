// Whole steps under each pipeline schedule.
#include <algorithm>

#include <doctest/doctest.h>

#include "sim/run/analysis/memory_timeline.h"
#include "sim/run/simulate.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "sim/workload/schedule/schedule.h"
#include "tests/run/report_text.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::schedules_run_test {

namespace {

/// The settings of Llama 3.1 8B on four stages with eight micro-batches and no overlap inside
/// passes, under a schedule.
std::vector<std::string> settings_of(PipelineSchedule schedule) {
  return {"nodes=4",
          "tp=2",
          "pp=4",
          "cp=1",
          "gbs=32",
          "training.seq_length=2048",
          "parallelism.sequence_parallel=true",
          "overlap.tp_comm_overlap=false",
          "overlap.overlap_p2p_comm=true",
          "overlap.defer_embedding_wgrad_compute=false",
          "vp=" + std::to_string(row_of(schedule).least_chunks),
          "parallelism.pipeline_schedule=" + std::string(name_of(schedule))};
}

Scenario scenario_of(PipelineSchedule schedule, const std::vector<std::string>& further = {}) {
  std::vector<std::string> settings = settings_of(schedule);
  settings.insert(settings.end(), further.begin(), further.end());
  return scenario("llama31_8b_h100", "bf16-32", settings);
}

double step_s(PipelineSchedule schedule) { return simulate(scenario_of(schedule)).step_time_s; }

/// Recipes whose passes are of other pieces, messages of other lengths and links.
const std::vector<std::vector<std::string>>& kinds_of_recipes() {
  static const std::vector<std::vector<std::string>> kinds{
      {},
      {"recompute=full", "cuda_graphs=true"},
      {"precision=fp8", "optimizer.distributed=false"},
      {"overlap.overlap_grad_reduce=false", "overlap.overlap_param_gather=false"},
      {"cluster.rank_order=round-robin", "parallelism.sequence_parallel=false"}};
  return kinds;
}

template <class Check>
void for_all(const Check& check) {
  for (const ScheduleRow& row : schedule_rows()) {
    for (const std::vector<std::string>& kind : kinds_of_recipes()) {
      CAPTURE(name_of(row.kind));
      CAPTURE(kind.empty() ? "" : kind.front());
      check(scenario_of(row.kind, kind));
    }
  }
}

}  // namespace

TEST_CASE("under every schedule folded and unfolded runs agree") {
  for_all([](const Scenario& asked) {
    const SimulatedStep folded = simulate_step(asked);
    const SimulatedStep unfolded = simulate_step(asked, {.unfold = true});
    CHECK(folded.plan.ranks.size() <= unfolded.plan.ranks.size());
    CHECK(text_of(report_of(folded)) == text_of(report_of(unfolded)));
  });
}

TEST_CASE("under every schedule memory over the step peaks at what is reported for a stage") {
  for_all([](const Scenario& asked) {
    const SimulatedStep simulated = simulate_step(asked);
    const GpuSpec& gpu = asked.cluster.gpu;
    const auto stages = stage_memory(asked.recipe, gpu, simulated.grid);
    for (const RankMemory& rank :
         memory_timeline(asked.recipe, gpu, simulated.grid, simulated.plan, simulated.timeline)) {
      const StageMemory& stage = stages[static_cast<std::size_t>(rank.stage)];
      CHECK(rank.peak() == doctest::Approx(stage.allocated()).epsilon(1e-9));
      CHECK(rank.points.back().bytes == doctest::Approx(stage.kept()).epsilon(1e-9));
    }
  });
}

TEST_CASE("what Megatron runs by itself is the same when it is named") {
  for (const auto schedule :
       {PipelineSchedule::one_forward_one_backward, PipelineSchedule::interleaved}) {
    const Scenario named = scenario_of(schedule);
    Scenario unnamed = named;
    unnamed.recipe.parallelism.pipeline_schedule.reset();
    CHECK(simulate(named).engine.fingerprint == simulate(unnamed).engine.fingerprint);
  }
}

TEST_CASE("a V has no wrap-around message, and as many ways as its stages need") {
  const SimulatedStep simulated = simulate_step(scenario_of(PipelineSchedule::zero_bubble_v));
  for (const SimulatedRank& rank : simulated.plan.ranks) {
    int sent = 0;
    for (const Op& op : simulated.plan.programs[rank.program].ops)
      sent += op.label == Label::send ? 1 : 0;
    // Each chunk but the model's first and last sends both ways; the middle stays on the last
    // stage.
    const bool end = rank.stage == 0 || rank.stage == 3;
    CHECK(sent == 8 * (end ? 2 : 4));
  }
}

TEST_CASE("weight gradients that run later shorten the bubble, at the price of memory") {
  using S = PipelineSchedule;
  const double usual = step_s(S::one_forward_one_backward);
  CHECK(step_s(S::zero_bubble_h1) < usual);
  CHECK(step_s(S::zero_bubble_h2) < usual);
  CHECK(step_s(S::zero_bubble_v) < usual);
  const auto activations = [](PipelineSchedule schedule) {
    const Scenario asked = scenario_of(schedule);
    double most = 0;
    for (const StageMemory& stage :
         stage_memory(asked.recipe, asked.cluster.gpu, rank_grid(asked.recipe, asked.gpus())))
      most = std::max(most, stage.activations);
    return most;
  };
  const double held = activations(S::one_forward_one_backward);
  CHECK(activations(S::gpipe) == doctest::Approx(2 * held).epsilon(1e-9));
  CHECK(activations(S::zero_bubble_h2) > 1.5 * held);
  CHECK(activations(S::v_half) < 0.85 * held);
  CHECK(activations(S::v_min) < 0.6 * held);
}

TEST_CASE(
    "a model held twice: two copies of weights, optimizer state shared by both stages of a layer") {
  using S = PipelineSchedule;
  const auto memory = [](PipelineSchedule schedule) {
    const Scenario asked = scenario_of(schedule);
    return stage_memory(asked.recipe, asked.cluster.gpu, rank_grid(asked.recipe, asked.gpus()));
  };
  const std::vector<StageMemory> once = memory(S::one_forward_one_backward);
  const std::vector<StageMemory> twice = memory(S::dual_pipe);
  REQUIRE(once.size() == 4);
  REQUIRE(twice.size() == 4);
  for (std::size_t stage = 0; stage < 4; ++stage) {
    CAPTURE(stage);
    const StageMemory& here = once[stage];
    const StageMemory& other = once[3 - stage];
    CHECK(twice[stage].weights == doctest::Approx(here.weights + other.weights).epsilon(1e-12));
    CHECK(twice[stage].gradients ==
          doctest::Approx(here.gradients + other.gradients).epsilon(1e-12));
    CHECK(twice[stage].optimizer ==
          doctest::Approx((here.optimizer + other.optimizer) / 2).epsilon(1e-12));
    CHECK(twice[stage].total() == doctest::Approx(twice[3 - stage].total()).epsilon(1e-12));
  }
  // P + 1 chunks at most, of equal layers.
  CHECK(twice[1].activations == doctest::Approx(5.0 / 3 * once[1].activations).epsilon(1e-9));
}

TEST_CASE(
    "gradients of a model held twice are summed over both stages of a layer, all layers once") {
  const Scenario asked = scenario_of(PipelineSchedule::dual_pipe);
  const SimulatedStep simulated = simulate_step(asked, {.unfold = true});
  const RankGrid& grid = simulated.grid;
  const int stage_ranks = grid.ranks() / grid.pp();
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    const std::vector<int> group = grid.group(GroupKind::data, rank);
    CHECK(static_cast<int>(group.size()) == 2 * grid.dp());
    CHECK(grid.ranks_of(GroupKind::data) == 2 * grid.dp());
    CHECK(group.front() == grid.first_of(GroupKind::data, rank));
    CHECK(std::is_sorted(group.begin(), group.end()));
    CHECK(std::count(group.begin(), group.end(), rank) == 1);
    const int stage = rank / stage_ranks;
    for (const int other : group) {
      CHECK((other / stage_ranks == stage || other / stage_ranks == 3 - stage));
      CHECK(other % 2 == rank % 2);  // of one place in its tensor group
      CHECK(grid.group(GroupKind::data, other) == group);
    }
  }
  // What is reduced on a rank: two chunks' gradients over the ring of eight.
  const auto reduced = [](const SimulatedStep& step) {
    double bytes = 0;
    for (const SimulatedRank& rank : step.plan.ranks) {
      const Program& program = step.plan.programs[rank.program];
      for (const Op& op : program.ops) {
        if (op.label == Label::gradient_reduce && op.group == GroupKind::data)
          bytes += static_cast<double>(program.transfers[op.cost].wire.value());
      }
    }
    return bytes;
  };
  const SimulatedStep usual =
      simulate_step(scenario_of(PipelineSchedule::one_forward_one_backward), {.unfold = true});
  // Each rank sends (n - 1) / n of its gradients: of twice as many over twice the ranks.
  CHECK(reduced(simulated) ==
        doctest::Approx(2 * (7.0 / 8) / (3.0 / 4) * reduced(usual)).epsilon(0.01));
}

TEST_CASE("messages of 1F1B never run beside passes, those of interleaved chunks do if asked to") {
  const auto step = [](const std::string& vp, const std::string& overlap) {
    return simulate(scenario("llama31_70b_h100", "bf16-64",
                             {"cp=1", "pp=4", "vp=" + vp, "overlap.overlap_p2p_comm=" + overlap}));
  };
  CHECK(text_of(step("1", "true")) == text_of(step("1", "false")));
  CHECK(step("5", "true").step_time_s < step("5", "false").step_time_s);
}

}  // namespace simtrain::testing::schedules_run_test
