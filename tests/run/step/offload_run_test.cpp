// Offload to hosts from a scenario to its report: what moves, what it takes, what it frees.
#include <cmath>
#include <numeric>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/run/analysis/memory_timeline.h"
#include "sim/run/simulate.h"
#include "sim/workload/plan/data/host_copy.h"
#include "sim/workload/plan/offload/offloaded_layers.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::offload_run_test {

namespace {

using Settings = std::vector<std::string>;

/// 32 layers on 8 H100, data-parallel alone, 16 micro-batches.
Scenario llama_8b(const Settings& settings) {
  return scenario("llama31_8b_h100", "bf16-8", settings);
}

Settings layers_offloaded(int layers) {
  return {"offload.cpu_offloading=true",
          fmt::format("offload.cpu_offloading_num_layers={}", layers)};
}

const Settings kModules{"offload.fine_grained_activation_offloading=true",
                        "offload.offload_modules=[attn_norm, core_attn, attn_proj, mlp_norm]"};
const Settings kOptimizer{"offload.optimizer_cpu_offload=true"};
const Settings kZero3{"sharding.strategy=zero3"};

Settings operator+(Settings all, const Settings& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// Bytes of the busiest rank's calls of one way in a step.
double moved(const Report& report, Algorithm way) {
  return std::accumulate(report.communication.begin(), report.communication.end(), 0.0,
                         [&](double sum, const CommunicationRow& row) {
                           const double bytes = static_cast<double>(row.bytes.value()) *
                                                static_cast<double>(row.count);
                           return sum + (row.algorithm == way ? bytes : 0);
                         });
}

double exposed(const Report& report) { return part(report.breakdown, Share::offload); }

double saved_by_layer(const Scenario& of) { return ModelTotals(of.recipe).layer(0).saved_bytes; }

/// A host whose links are never in the way.
void make_fast(HostSpec& host) {
  host.gpu_bandwidth.value = Bandwidth(1e15);
  host.memory_bandwidth.value = Bandwidth(1e16);
  host.adam_bandwidth.value = Bandwidth(1e16);
  host.copy_latency.value = Duration(0);
}

}  // namespace

TEST_CASE("Offloading jobs folded by class and unfolded agree exactly") {
  const auto agree = [](const Scenario& of) {
    const Report folded = simulate(of, {});
    const Report unfolded = simulate(of, {true});
    CHECK(folded.engine.ranks_simulated < folded.gpus);
    CHECK(unfolded.engine.ranks_simulated == unfolded.gpus);
    CHECK(folded.step_time_s == unfolded.step_time_s);
    CHECK(folded.host_memory->bytes == doctest::Approx(unfolded.host_memory->bytes));
    CHECK(exposed(folded) == doctest::Approx(exposed(unfolded)));
  };
  agree(llama_8b(layers_offloaded(20)));
  agree(llama_8b(kModules + kOptimizer));
  agree(llama_8b(kZero3 + kOptimizer + Settings{"offload.offload_param=true"}));
  agree(scenario("llama31_70b_h100", "bf16-64", kModules));
  // GPUs of a host that are not alike share its memory.
  const Settings slow_nic{"cluster.nodes=4", "training.global_batch_size=128",
                          "sharding.strategy=zero2",
                          "cluster.faults={nics: [{nic: 0, host: 0, bandwidth_share: 0.5}]}"};
  agree(scenario("mixtral_8x7b_h200", "bf16-256", slow_nic + kOptimizer));
}

TEST_CASE("Offloaded layers leave and come back whole, once a micro-batch") {
  for (const int layers : {1, 10, 31}) {
    const Scenario of = llama_8b(layers_offloaded(layers));
    const Report report = simulate(of, {});
    const double bytes = report.micro_batches * layers * saved_by_layer(of);
    CHECK(moved(report, Algorithm::to_host) == doctest::Approx(bytes));
    CHECK(moved(report, Algorithm::from_host) == doctest::Approx(bytes));
    CHECK(report.memory.front().host_activations == doctest::Approx(layers * saved_by_layer(of)));
    CHECK(report.host_memory->bytes == doctest::Approx(8 * layers * saved_by_layer(of)));
  }
}

TEST_CASE("Memory of the GPU falls by the offloaded layers, but for what is on its way") {
  const Report plain = simulate(llama_8b({}), {});
  CHECK_FALSE(plain.host_memory);
  CHECK(exposed(plain) == 0);
  for (const int layers : {8, 16, 31}) {
    const Scenario of = llama_8b(layers_offloaded(layers));
    const double freed =
        plain.memory.front().activations - simulate(of, {}).memory.front().activations;
    CHECK(freed >= doctest::Approx((layers - 2) * saved_by_layer(of)));
    CHECK(freed <= doctest::Approx(layers * saved_by_layer(of)));
  }
}

TEST_CASE("The end of each copy is spread over the layers as Transformer Engine spreads it") {
  const auto ends = [](int layers, int offloaded) {
    Scenario of = llama_8b(layers_offloaded(offloaded));
    of.recipe.model.num_layers = layers;
    std::vector<int> until;
    const ModelTotals totals(of.recipe);
    for (const OffloadedLayer& layer :
         offloaded_layers(of.recipe, totals, stage_chunks(of.recipe, 0).front()))
      until.push_back(layer.until);
    return until;
  };
  CHECK(ends(10, 4) == std::vector<int>{2, 5, 7, 9});
  CHECK(ends(8, 7) == std::vector<int>{1, 2, 3, 4, 5, 6, 7});
  CHECK(ends(8, 4) == std::vector<int>{1, 3, 5, 7});
  CHECK(ends(8, 1) == std::vector<int>{7});
}

TEST_CASE("Copies are exposed where compute does not hide them") {
  Scenario of = llama_8b(layers_offloaded(31));
  const double plain = simulate(llama_8b({}), {}).step_time_s;
  make_fast(*of.cluster.node.host);
  const Report fast = simulate(of, {});
  CHECK(exposed(fast) < 1e-4 * fast.step_time_s);
  CHECK(fast.step_time_s < 1.001 * plain);
  const double bytes = fast.micro_batches * 31 * saved_by_layer(of);
  of.cluster.node.host->gpu_bandwidth.value = Bandwidth(5e9);
  const Report slow = simulate(of, {});
  const double alone = 2 * bytes / 2.5e9;  // two GPUs share an uplink
  CHECK(slow.step_time_s > alone);
  CHECK(exposed(slow) > alone - plain);
  CHECK(exposed(slow) < 1.001 * alone);
}

TEST_CASE("GPUs share their uplink and the memory of their host") {
  const auto step = [](int gpus_per_uplink, double memory) {
    Scenario of = llama_8b(layers_offloaded(31));
    of.cluster.node.host->gpus_per_uplink.value = gpus_per_uplink;
    if (memory > 0) of.cluster.node.host->memory_bandwidth.value = Bandwidth(memory);
    return simulate(of, {}).step_time_s;
  };
  CHECK(step(1, 0) < step(2, 0));
  CHECK(step(2, 0) < step(4, 0));
  CHECK(step(1, 1e11) > step(1, 0));
}

TEST_CASE("The host keeps its part of the optimizer and updates it in the time of its memory") {
  const Report plain = simulate(llama_8b({}), {});
  for (const double fraction : {0.25, 1.0}) {
    const Scenario of = llama_8b(
        kOptimizer + Settings{fmt::format("offload.optimizer_offload_fraction={}", fraction)});
    const Report report = simulate(of, {});
    const double own = fraction * static_cast<double>(report.parameters.fullest) / 8;
    CHECK(report.memory.front().optimizer ==
          doctest::Approx((1 - fraction) * plain.memory.front().optimizer));
    CHECK(report.memory.front().host_optimizer == doctest::Approx(16 * own));
    CHECK(moved(report, Algorithm::to_host) ==
          doctest::Approx(static_cast<double>(bytes_of(of.recipe.optimizer.grad_reduce_dtype)) *
                          own));
    CHECK(moved(report, Algorithm::from_host) == doctest::Approx(2 * own));
    const double adam =
        kHostAdamBytes * own / (of.cluster.node.host->adam_bandwidth.value.value() / 8);
    CHECK(exposed(report) > adam);
    CHECK(exposed(report) < 1.5 * adam);
  }
}

TEST_CASE("Overlapped, the host updates one layer while others are copied") {
  const Report serial = simulate(llama_8b(kOptimizer), {});
  const Report overlapped =
      simulate(llama_8b(kOptimizer + Settings{"offload.overlap_cpu_optimizer_d2h_h2d=true"}), {});
  CHECK(overlapped.step_time_s < serial.step_time_s);
  CHECK(moved(overlapped, Algorithm::to_host) ==
        doctest::Approx(moved(serial, Algorithm::to_host)));
}

// ZeRO-Offload (arXiv 2101.06840), table 4, on a DGX-2 with 256 GB/s: seconds of CPU-Adam.
TEST_CASE("CPU Adam takes what ZeRO-Offload measured, within 25 %") {
  Scenario of = llama_8b(kOptimizer);
  NodeSpec& node = of.cluster.node;
  node.host->adam_bandwidth.value = Bandwidth(0.46 * 256e9);
  const std::vector<std::pair<double, double>> measured{
      {1e9, 0.22}, {2e9, 0.51}, {4e9, 1.03}, {8e9, 2.41}, {10e9, 2.57}};
  for (const auto& [parameters, seconds] : measured) {
    const TransferCost update = host_update(node, parameters / node.gpus);
    CHECK(to_seconds(update.alone()) == doctest::Approx(seconds).epsilon(0.25));
  }
}

TEST_CASE("Sharded parameters come from the host before each gather") {
  const Settings zero3 = kZero3 + kOptimizer;
  const Scenario of = llama_8b(zero3 + Settings{"offload.offload_param=true"});
  const Report kept = simulate(llama_8b(zero3), {});
  const Report report = simulate(of, {});
  const double own = static_cast<double>(report.parameters.fullest) / 8;
  CHECK(moved(kept, Algorithm::from_host) == doctest::Approx(2 * own));  // updated ones
  // Layers twice a micro-batch, embedding and head once.
  const double gathered = moved(report, Algorithm::from_host) / (2 * own * report.micro_batches);
  CHECK(gathered > 1.5);
  CHECK(gathered < 2);
  CHECK(report.memory.front().weights == doctest::Approx(kept.memory.front().weights - 2 * own));
  CHECK(report.memory.front().host_weights == doctest::Approx(2 * own));
}

TEST_CASE("Inputs of modules stay for the layer whose backward follows at once") {
  const Scenario of = llama_8b(kModules);
  const Report report = simulate(of, {});
  const double bytes = 31 * ModelTotals(of.recipe).layer(0).offloaded_bytes;
  CHECK(bytes > 0);
  CHECK(moved(report, Algorithm::to_host) == doctest::Approx(report.micro_batches * bytes));
  CHECK(report.memory.front().host_activations == doctest::Approx(bytes));
}

TEST_CASE("Pipeline stages keep the modules of all micro-batches in flight on their hosts") {
  const Scenario of = scenario("llama31_70b_h100", "bf16-64", kModules);
  const Report report = simulate(of, {});
  const Report plain = simulate(scenario("llama31_70b_h100", "bf16-64"), {});
  CHECK(of.recipe.pp() > 1);
  for (std::size_t stage = 0; stage < report.memory.size(); ++stage) {
    const double moved_out = report.memory[stage].host_activations;
    CHECK(moved_out > 0);
    CHECK(report.memory[stage].activations < plain.memory[stage].activations);
    CHECK(report.memory[stage].activations + moved_out >
          doctest::Approx(plain.memory[stage].activations));
  }
  CHECK(report.memory.front().host_activations > report.memory.back().host_activations);
}

TEST_CASE("Memory over the step peaks at what is reported, with what is on its way") {
  const Settings pipeline{"parallelism.pipeline_schedule=zb_h1", "vp=1",
                          "overlap.defer_embedding_wgrad_compute=false",
                          "overlap.tp_comm_overlap=false"};
  for (const Scenario& of : {llama_8b(layers_offloaded(20)), llama_8b(kModules + kOptimizer),
                             scenario("llama31_70b_h100", "bf16-64", kModules),
                             scenario("llama31_70b_h100", "bf16-64", kModules + pipeline)}) {
    const SimulatedStep simulated = simulate_step(of);
    const GpuSpec& gpu = of.cluster.gpu;
    const auto stages = stage_memory(of.recipe, gpu, simulated.grid);
    for (const RankMemory& rank :
         memory_timeline(of.recipe, gpu, simulated.grid, simulated.plan, simulated.timeline)) {
      const StageMemory& stage = stages[static_cast<std::size_t>(rank.stage)];
      CHECK(rank.peak() == doctest::Approx(stage.allocated()));
      CHECK(rank.points.back().bytes == doctest::Approx(stage.kept()));
    }
  }
}

TEST_CASE("A host without room does not fit, whatever GPUs have") {
  Scenario of = llama_8b(kOptimizer);
  CHECK(simulate(of, {}).fits());
  of.cluster.node.host->memory.value = Bytes(1'000'000'000);
  const Report report = simulate(of, {});
  CHECK_FALSE(report.host_memory->fits());
  CHECK_FALSE(report.fits());
}

}  // namespace simtrain::testing::offload_run_test
