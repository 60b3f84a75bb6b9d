// Small steps simulated kernel by kernel on one level, against pieces first and then the step.
#include "tests/run/flat_step.h"

#include <cmath>
#include <optional>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/run/engine/executor.h"
#include "sim/run/simulate.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "tests/core/checkout.h"
#include "tests/property/draw.h"

namespace simtrain::testing::flat_step_test {

namespace {

const std::string kFile = source_dir() + "/scenarios/llama31_8b_h100.yaml";

std::vector<std::string> small_recipe(Draw& draw) {
  const int nodes = draw.between(1, 4);
  int left = nodes * 8;
  const auto divisor = [&](std::initializer_list<int> values) {
    int drawn = draw.one_of(values);
    while (left % drawn != 0) drawn = draw.one_of(values);
    left /= drawn;
    return drawn;
  };
  const int tp = divisor({1, 2, 4, 8, 16});
  const int cp = divisor({1, 1, 2, 4, 8});
  const int pp = divisor({1, 1, 2, 4});
  const int vp = pp > 1 ? draw.one_of({1, 1, 2}) : 1;
  const int micro_batches = vp > 1 ? pp * draw.between(1, 2) : draw.between(1, 6);
  std::vector<std::string> settings;
  settings.push_back("cluster.name=dgx-superpod-h100");
  settings.push_back(fmt::format("cluster.nodes={}", nodes));
  settings.push_back(std::string("cluster.rank_order=") +
                     draw.one_of({"by-host", "by-host", "round-robin"}));
  settings.push_back(std::string("model=") +
                     draw.one_of({"llama3.1-8b", "llama3.1-70b", "nemotron4-15b"}));
  for (const auto& [key, value] : {std::pair<const char*, int>{"tp", tp},
                                   {"cp", cp},
                                   {"pp", pp},
                                   {"vp", vp},
                                   {"gbs", left * micro_batches},
                                   {"training.seq_length", cp * draw.one_of({2048, 4096, 8192})},
                                   {"model_overrides.num_layers", pp * vp * draw.between(1, 3)}})
    settings.push_back(fmt::format("{}={}", key, value));
  for (const char* flag :
       {"overlap.overlap_p2p_comm", "overlap.overlap_grad_reduce", "overlap.overlap_param_gather",
        "overlap.defer_embedding_wgrad_compute", "optimizer.distributed"})
    settings.push_back(fmt::format("{}={}", flag, draw.once_in(2)));
  const bool sp = tp > 1 && !draw.once_in(3);
  settings.push_back(fmt::format("parallelism.sequence_parallel={}", sp));
  settings.push_back("cuda_graphs=true");
  const bool fp8 = draw.once_in(3);
  settings.push_back(std::string("precision=") + (fp8 ? "fp8" : "bf16"));
  settings.push_back(std::string("recompute=") +
                     draw.one_of({"none", "none", "selective", "full"}));
  if (sp && tp <= 8 && draw.once_in(3)) {
    settings.emplace_back("overlap.tp_comm_overlap=true");
    settings.emplace_back("overlap.tp_comm_overlap_table=te-default");
  }
  return settings;
}

std::optional<Scenario> scenario_of(const std::vector<std::string>& settings) {
  static const DataFolder data(source_dir());
  static const ScenarioSource source = ScenarioSource::from_file(kFile);
  std::vector<Setting> parsed;
  for (const std::string& text : settings) parsed.push_back(parse_setting(text));
  try {
    return source.scenario(data, "bf16-8", parsed);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("small steps take as long on two levels as kernel by kernel on one") {
  constexpr int kRecipes = 200;
  ClusterCache clusters;
  std::uint64_t seed = 1;
  for (int checked = 0; checked < kRecipes;) {
    Draw draw(seed++);
    const std::vector<std::string> settings = small_recipe(draw);
    const auto scenario = scenario_of(settings);
    if (!scenario) continue;
    ++checked;
    const SimulatedStep step = simulate_step(*scenario, {true, &clusters});
    const Timeline flat = execute(flat_plan(step));
    const double error = to_seconds(step.timeline.end) / to_seconds(flat.end) - 1;
    INFO("error ", error, ": ", fmt::format("{}", fmt::join(settings, " ")));
    CHECK(std::abs(error) < 0.005);
  }
}

TEST_CASE("what moves inside passes and beside them slows each other where TP leaves a node") {
  const std::vector<std::string> settings{"cluster.nodes=3",
                                          "cp=1",
                                          "cluster.rank_order=round-robin",
                                          "model=nemotron4-15b",
                                          "tp=8",
                                          "gbs=3",
                                          "training.seq_length=2048",
                                          "cuda_graphs=true",
                                          "model_overrides.num_layers=3",
                                          "parallelism.sequence_parallel=true",
                                          "overlap.overlap_grad_reduce=true",
                                          "overlap.overlap_param_gather=true"};
  const Scenario scenario = scenario_of(settings).value();
  const SimulatedStep step = simulate_step(scenario, {true});
  Plan apart = step.plan;
  const bool contended = std::any_of(apart.groups.begin(), apart.groups.end(),
                                     [](const Group& group) { return !group.inner.empty(); });
  CHECK(contended);
  for (Group& group : apart.groups) group.inner.clear();
  const double flat = to_seconds(execute(flat_plan(step)).end);
  CHECK(to_seconds(step.timeline.end) == doctest::Approx(flat).epsilon(0.01));
  CHECK(to_seconds(execute(apart).end) < 0.95 * flat);
}

TEST_CASE("passes that share no full link put no flows in the step") {
  const Scenario scenario =
      scenario_of({"cluster.nodes=2", "tp=8", "cp=1", "gbs=8", "parallelism.sequence_parallel=true",
                   "training.seq_length=2048"})
          .value();
  const SimulatedStep step = simulate_step(scenario, {true});
  for (const Group& group : step.plan.groups) CHECK(group.inner.empty());
}

TEST_CASE("the embedding, which exchanges no context, hides no flow of the layers") {
  const Scenario scenario =
      scenario_of({"cluster.nodes=2", "tp=2", "cp=8", "gbs=2", "training.seq_length=8192",
                   "model_overrides.num_layers=4", "parallelism.sequence_parallel=true",
                   "overlap.overlap_param_gather=true", "overlap.overlap_grad_reduce=true"})
          .value();
  const SimulatedStep step = simulate_step(scenario, {true});
  const auto context = [](const Group& group) {
    return std::any_of(group.inner.begin(), group.inner.end(), [](const InnerFlow& flow) {
      return inner_kinds()[flow.kind] == GroupKind::context;
    });
  };
  CHECK(std::any_of(step.plan.groups.begin(), step.plan.groups.end(), context));
}

TEST_CASE("replicas that share their amax wait for each other in each pass") {
  // Stages on three nodes of eight: one of the three replicas of a stage lies apart.
  std::vector<std::string> settings{"cluster.nodes=3",
                                    "model=nemotron4-15b",
                                    "tp=2",
                                    "cp=1",
                                    "pp=4",
                                    "gbs=3",
                                    "training.seq_length=8192",
                                    "model_overrides.num_layers=8",
                                    "overlap.overlap_p2p_comm=true",
                                    "overlap.overlap_grad_reduce=true",
                                    "overlap.overlap_param_gather=true",
                                    "cuda_graphs=true",
                                    "precision=fp8",
                                    "recompute=full"};
  const auto meetings = [](const SimulatedStep& step) {
    std::ptrdiff_t count = 0;
    for (const Program& program : step.plan.programs)
      count += std::count_if(program.ops.begin(), program.ops.end(), [](const Op& op) {
        return op.compute && op.group == GroupKind::amax;
      });
    return count;
  };
  const Scenario apart = scenario_of(settings).value();
  const SimulatedStep step = simulate_step(apart, {true});
  CHECK(meetings(step) > 0);
  const double flat = to_seconds(execute(flat_plan(step)).end);
  CHECK(to_seconds(step.timeline.end) == doctest::Approx(flat).epsilon(0.002));

  settings.front() = "cluster.nodes=4";  // each stage has a node of its own
  settings[5] = "gbs=4";
  const Scenario alike = scenario_of(settings).value();
  CHECK(meetings(simulate_step(alike, {true})) == 0);
}

TEST_CASE("where a stretch runs beside gradients, its transfers come one by one") {
  // One layer: by the mean over it, a reduction that ends inside it would be 0.9 % off.
  const Scenario scenario =
      scenario_of({"cluster.nodes=3", "cluster.rank_order=round-robin", "model=llama3.1-70b",
                   "tp=8", "cp=1", "gbs=3", "training.seq_length=8192",
                   "model_overrides.num_layers=1", "parallelism.sequence_parallel=true",
                   "overlap.overlap_grad_reduce=true", "overlap.overlap_param_gather=true",
                   "overlap.defer_embedding_wgrad_compute=true", "optimizer.distributed=false",
                   "cuda_graphs=true"})
          .value();
  const SimulatedStep step = simulate_step(scenario, {true});
  const double flat = to_seconds(execute(flat_plan(step)).end);
  const double mean = to_seconds(execute(step.plan).end);
  CHECK(to_seconds(step.timeline.end) == doctest::Approx(flat).epsilon(0.002));
  CHECK(std::abs(mean / flat - 1) > 0.005);
  const SimulatedStep folded = simulate_step(scenario);
  CHECK(folded.timeline.end == step.timeline.end);
}

}  // namespace simtrain::testing::flat_step_test
