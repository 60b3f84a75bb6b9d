// What holds for every documented recipe.
#include <algorithm>
#include <numeric>

#include <doctest/doctest.h>

#include "sim/run/simulate.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "tests/property/rows.h"

namespace simtrain::testing::every_row_test {

namespace {

template <class Check>
void for_every_row(const Check& check) {
  for (const ScenarioRow& row : all_rows()) {
    INFO(row.file, " ", row.row);
    check(row);
  }
}

}  // namespace

TEST_CASE(
    "every row has a step time, a breakdown that sums to it, an MFU below one, and takes its "
    "FLOPs at peak or longer") {
  for_every_row([](const ScenarioRow& row) {
    const Scenario scenario = scenario_of(row);
    const Report report = simulate(scenario);
    CHECK(report.step_time_s > 0);
    CHECK(report.step_time_s < 1000);
    const double sum = std::accumulate(report.breakdown.begin(), report.breakdown.end(), 0.0);
    CHECK(sum == doctest::Approx(report.step_time_s).epsilon(1e-9));
    for (const double share : report.breakdown) CHECK(share >= -1e-9 * report.step_time_s);
    CHECK(report.mfu > 0.2);
    CHECK(report.mfu <= 1);
    const double flops =
        model_flops_per_sample(scenario.recipe.model, scenario.recipe.training.seq_length,
                               MfuConvention::causal) *
        scenario.recipe.training.global_batch_size;
    CHECK(report.step_time_s * report.gpus * report.peak_tflops_per_gpu * 1e12 >= flops);
  });
}

TEST_CASE("every documented recipe fits in memory") {
  for_every_row([](const ScenarioRow& row) {
    const Scenario scenario = scenario_of(row);
    const RankGrid grid = rank_grid(scenario.recipe, scenario.gpus());
    const auto capacity = static_cast<double>(scenario.cluster.gpu.memory_capacity.value.value());
    int stage = 0;
    for (const StageMemory& memory : stage_memory(scenario.recipe, scenario.cluster.gpu, grid)) {
      CAPTURE(stage++);
      CHECK(memory.total() <= capacity);
      for (const double part :
           {memory.weights, memory.gradients, memory.optimizer, memory.activations,
            memory.loss + memory.temporary, memory.outside()})
        CHECK(part > 0);
    }
  });
}

TEST_CASE("no resource is busy for longer than the step") {
  for_every_row([](const ScenarioRow& row) {
    const Scenario scenario = small_scenario_of(row);
    const SimulatedStep simulated = simulate_step(scenario);
    const Plan& plan = simulated.plan;
    const Timeline& timeline = simulated.timeline;
    for (std::uint32_t rank = 0; rank < plan.ranks.size(); ++rank) {
      std::array<Duration, kStreams> busy{};
      const auto& ops = plan.programs[plan.ranks[rank].program].ops;
      for (std::uint32_t op = 0; op < ops.size(); ++op) {
        busy[static_cast<std::size_t>(ops[op].stream)] +=
            timeline.span(rank, op).end - timeline.span(rank, op).start;
      }
      CHECK(*std::max_element(busy.begin(), busy.end()) <= timeline.end);
    }
  });
}

}  // namespace simtrain::testing::every_row_test
