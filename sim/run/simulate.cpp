#include "sim/run/simulate.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "sim/run/analysis/communication.h"
#include "sim/run/analysis/placement_figures.h"
#include "sim/run/changing/changing_step.h"
#include "sim/run/results/step_fingerprint.h"
#include "sim/topology/fault_times.h"
#include "sim/workload/model/layers/layer_list.h"
#include "sim/workload/model/sharding.h"
#include "sim/workload/plan/stragglers.h"

namespace simtrain {
namespace {

void add_headline(Report& report, const Scenario& scenario) {
  const Recipe& recipe = scenario.recipe;
  const double batch = recipe.training.global_batch_size;
  report.scenario = scenario.name;
  report.source = scenario.source;
  report.changed_from = scenario.changed_from;
  report.hardware = scenario.hardware;
  report.cluster =
      fmt::format("{}: {} x {} ({} {})", scenario.cluster.name, scenario.placement.nodes,
                  scenario.cluster.node.name, scenario.gpus(), scenario.cluster.gpu.name);
  report.model = recipe.model.name;
  report.software = recipe.software.name;
  report.gpus = scenario.gpus();
  report.mfu_convention = scenario.mfu_convention;
  report.tokens_per_s =
      tokens_per_second(static_cast<double>(recipe.training.seq_length), batch, report.step_time_s);
  report.days_per_1t_tokens = days_per_trillion_tokens(report.tokens_per_s);
  report.model_flops_per_sample = model_flops_per_sample(recipe, scenario.mfu_convention);
  report.peak_tflops_per_gpu = scenario.cluster.gpu.peak(recipe.precision().peak).value() / 1e12;
  report.tflops_per_gpu =
      tflops_per_gpu(report.model_flops_per_sample, batch, report.step_time_s, report.gpus);
  report.mfu = model_flops_utilization(report.tflops_per_gpu, report.peak_tflops_per_gpu);
}

/// Of a fault that comes and goes.
std::string text_of(const FaultTimes& times) {
  std::string text;
  if (times.start) text += fmt::format(", from {:g} s on", to_seconds(*times.start));
  if (times.length) text += fmt::format(", for {:g} s", to_seconds(*times.length));
  return text;
}

std::vector<std::string> fault_texts(const ClusterFaults& faults) {
  const auto left = [](double share) {
    return share > 0 ? fmt::format("{} of its bandwidth", share) : std::string("down");
  };
  std::vector<std::string> texts;
  texts.reserve(faults.gpus.size() + faults.nics.size() + faults.links.size());
  for (const SlowGpu& slow : faults.gpus)
    texts.push_back(fmt::format("GPU {} of host {}: kernels take {} times as long{}", slow.gpu,
                                slow.host, slow.slowdown, text_of(slow.times)));
  for (const NicFault& nic : faults.nics)
    texts.push_back(fmt::format("NIC {} of {}: {}{}", nic.nic,
                                nic.host ? "host " + *nic.host : std::string("every host"),
                                left(nic.bandwidth_share), text_of(nic.times)));
  for (const LinkFault& link : faults.links)
    texts.push_back(fmt::format("link {} to {}: {}{}", link.from, link.to,
                                left(link.bandwidth_share), text_of(link.times)));
  return texts;
}

/// By the passes of the rank whose SMs have most to do.
StepSpread spread_of(const SimulatedStep& simulated) {
  const auto sm_bound_s = [](const ComputeCost& cost) {
    return to_seconds(cost.time) * cost.sm_bound;
  };
  ComputeCost busiest;
  for (const Program& program : simulated.plan.programs) {
    if (sm_bound_s(program.passes) > sm_bound_s(busiest)) busiest = program.passes;
  }
  return step_spread(simulated.cluster.spec().gpu.power, busiest,
                     ranks_met_in_passes(simulated.scenario.recipe, simulated.grid),
                     simulated.grid.ranks());
}

/// Of the host whose ranks offload most.
HostMemory host_memory(const SimulatedStep& simulated, const std::vector<StageMemory>& stages) {
  const Cluster& cluster = simulated.cluster;
  std::vector<double> by_host(cluster.hosts().size(), 0);
  for (int rank = 0; rank < simulated.grid.ranks(); ++rank) {
    const auto stage = static_cast<std::size_t>(simulated.grid.coordinates(rank).pp);
    const int host = cluster.host_of(simulated.placement.gpu(rank));
    by_host[static_cast<std::size_t>(host)] += stages[stage].host();
  }
  return {*std::max_element(by_host.begin(), by_host.end()),
          static_cast<double>(cluster.spec().node.host->memory.value.value())};
}

std::uint64_t events_in(const std::vector<SimulatedPieces>& passes) {
  std::uint64_t events = 0;
  for (const SimulatedPieces& pieces : passes) {
    for (const SimulatedPiece& piece : pieces) events += piece.timeline.events;
  }
  return events;
}

std::string layout_text(const Recipe& recipe, const RankGrid& grid) {
  const std::string experts =
      recipe.model.has_experts() ? fmt::format(" EP {}, ETP {},", recipe.ep(), recipe.etp()) : "";
  const std::string adapters =
      recipe.lora ? fmt::format(", LoRA of rank {}", recipe.lora->rank) : "";
  const auto& named = recipe.parallelism.pipeline_schedule;
  const std::string schedule = named ? fmt::format(" {},", name_of(*named)) : "";
  return fmt::format(
      "{}{}, TP {}, PP {}, VP {},{} CP {}, DP {},{} micro-batch {}, global batch {}, {} "
      "micro-batches",
      name_of(recipe.training.precision), adapters, recipe.tp(), recipe.pp(), recipe.vp(), schedule,
      recipe.cp(), grid.dp(), experts, recipe.training.micro_batch_size,
      recipe.training.global_batch_size, grid.micro_batches());
}

std::vector<BlockKind> blocks_of(const ModelSpec& model) {
  std::vector<BlockKind> blocks;
  for (const LayerSpec& layer : layer_specs(model))
    blocks.insert(blocks.end(), layer.blocks.begin(), layer.blocks.end());
  return blocks;
}

}  // namespace

PredictedStep predicted_step(const Scenario& scenario, const Report& report) {
  return {report.step_time_s,
          report.breakdown,
          scenario.cluster.gpu.name,
          scenario.recipe.training.precision,
          scenario.recipe.model.kv_channels,
          report.gpus,
          scenario.cluster.node.gpus,
          scenario.recipe.knowledge(),
          scenario.cluster.gpu.kernels.value,
          blocks_of(scenario.recipe.model)};
}

SimulatedStep simulate_step(const Scenario& scenario, const SimulateOptions& options) {
  return come_and_go(scenario.cluster.faults) ? simulate_changing_step(scenario, options)
                                              : simulate_steady_step(scenario, options);
}

Report report_of(const SimulatedStep& simulated) {
  const Scenario& scenario = simulated.scenario;
  const Plan& plan = simulated.plan;
  const Timeline& timeline = simulated.timeline;
  const JobContext context = simulated.context();
  const std::vector<PathStep> path = critical_path(plan, timeline);

  Report report;
  report.step_time_s = to_seconds(timeline.end);
  add_headline(report, scenario);
  report.layout = layout_text(scenario.recipe, simulated.grid);
  report.recipe = resolved_recipe(scenario);
  report.parameters = parameter_counts(scenario.recipe);
  report.data_parallel = simulated.grid.dp();
  report.micro_batches = simulated.grid.micro_batches();
  report.breakdown = path_breakdown(plan, timeline, path);
  report.step_time_error = step_error(scenario.uncertainty, predicted_step(scenario, report));
  report.step_spread = spread_of(simulated);
  report.communication = communication_table(simulated, path);
  report.placement = placement_figures(context, scenario.placement, plan, timeline);
  report.faults = fault_texts(scenario.cluster.faults);
  report.steps_in_row = simulated.in_row;
  const GpuSpec& gpu = simulated.cluster.spec().gpu;
  report.memory = stage_memory(scenario.recipe, gpu, simulated.grid);
  report.memory_capacity = static_cast<double>(gpu.memory_capacity.value.value());
  if (scenario.recipe.offload.anything())
    report.host_memory = host_memory(simulated, report.memory);
  report.clock = simulated.clock;
  report.energy = step_energy(simulated);
  report.engine.events = timeline.events;
  report.engine.repeated_events = timeline.repeated;
  report.engine.events += events_in(simulated.passes);
  for (const LaterState& state : simulated.later) report.engine.events += events_in(state.passes);
  report.engine.ranks = simulated.grid.ranks();
  report.engine.ranks_simulated = static_cast<int>(plan.ranks.size());
  report.engine.fingerprint = fingerprint_of(simulated.passes, plan, timeline).text();
  report.engine.wall_s = simulated.wall_s;
  return report;
}

Report simulate(const Scenario& scenario, const SimulateOptions& options) {
  return report_of(simulate_step(scenario, options));
}

}  // namespace simtrain
