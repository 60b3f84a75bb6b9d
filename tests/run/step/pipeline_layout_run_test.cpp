// A recipe whose layers are dealt out by pipeline_model_parallel_layout.
#include <doctest/doctest.h>

#include "sim/run/simulate.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::pipeline_layout_run_test {

namespace {

/// Llama 3.1 8B, 32 layers, PP 4 x VP 2.
Scenario with_layout(const std::string& layout) {
  std::vector<std::string> settings{"gbs=64", "tp=1", "cp=1", "pp=4", "vp=2", "nodes=1"};
  if (!layout.empty()) settings.push_back("parallelism.pipeline_model_parallel_layout=" + layout);
  return scenario("llama31_8b_h100", "bf16-8", settings);
}

}  // namespace

TEST_CASE("a layout that deals evenly is the even split, to the picosecond") {
  const Report even = simulate(with_layout(""));
  const Report same = simulate(with_layout("Et*4|(t*4|)*6t*4L"));
  CHECK(even.engine.fingerprint == same.engine.fingerprint);
  CHECK(even.step_time_s == same.step_time_s);
}

TEST_CASE("layers that move to another stage take their time and memory along") {
  const Report even = simulate(with_layout("Et*4|(t*4|)*6t*4L"));
  const Report lighter_last = simulate(with_layout("Et*4|t*4|t*5|(t*4|)*4t*3L"));
  const Report heavy_first = simulate(with_layout("Et*11|(t*3|)*6t*3L"));
  CHECK(even.memory[3].weights > lighter_last.memory[3].weights);
  CHECK(even.memory[2].weights < lighter_last.memory[2].weights);
  CHECK(even.memory[3].total() > heavy_first.memory[3].total());
  CHECK(heavy_first.memory[0].total() > even.memory[0].total());
  CHECK(heavy_first.step_time_s > even.step_time_s);
}

TEST_CASE("a chunk that holds nothing hands on what it gets") {
  const Scenario gaps = with_layout("Et*8|t*8||t*8|t*8|||L");
  const Report report = simulate(gaps);
  CHECK(report.step_time_s > simulate(with_layout("")).step_time_s);
  CHECK(report.engine.fingerprint == simulate(gaps, {true}).engine.fingerprint);
  // The last stage has but the head, yet its first micro-batch has gone through all layers.
  const SimulatedStep simulated = simulate_step(gaps);
  const Program& last = simulated.plan.programs[simulated.plan.ranks.back().program];
  Duration first_head{};
  for (std::uint32_t op = 0; op < last.ops.size() && first_head.count() == 0; ++op) {
    if (last.ops[op].label == Label::forward && last.ops[op].chunk == 1)
      first_head =
          simulated.timeline.span(static_cast<std::uint32_t>(simulated.plan.ranks.size() - 1), op)
              .start;
  }
  const Duration layer = simulated.costs_of(0)[{Part::layer, Phase::forward}].time;
  CHECK(first_head >= add_times(Duration(0), layer, 32));
}

}  // namespace simtrain::testing::pipeline_layout_run_test
