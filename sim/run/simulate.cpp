#include "sim/run/simulate.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sim/core/threads/parallel_each.h"
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

std::string cluster_text(const Scenario& scenario) {
  return fmt::format("{}: {} x {} ({} {})", scenario.cluster.name, scenario.placement.nodes,
                     scenario.cluster.node.name, scenario.gpus(), scenario.cluster.gpu.name);
}

/// How fast a step of so many seconds is, by the MFU convention of its scenario.
struct Speed {
  double tokens_per_s = 0;
  double flops_per_sample = 0;
  double peak_tflops = 0;  ///< of a GPU
  double tflops = 0;       ///< of a GPU
};

Speed speed_of(const Scenario& scenario, double step_s) {
  const Recipe& recipe = scenario.recipe;
  const double batch = recipe.training.global_batch_size;
  const double flops = model_flops_per_sample(recipe, scenario.mfu_convention);
  return {tokens_per_second(static_cast<double>(recipe.training.seq_length), batch, step_s), flops,
          scenario.cluster.gpu.peak(recipe.precision().peak).value() / 1e12,
          tflops_per_gpu(flops, batch, step_s, scenario.gpus())};
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

/// Of the rank whose passes take longest.
double longest_passes_s(const Plan& plan) {
  Duration longest{};
  for (const Program& program : plan.programs) longest = std::max(longest, program.passes.time);
  return to_seconds(longest);
}

/// All calls of data-parallel groups of the busiest rank.
double dp_messages_s(const std::vector<CommunicationRow>& table) {
  double all = 0;
  for (const CommunicationRow& row : table) {
    if (row.group.starts_with(group_name(Share::data_parallel))) all += row.total_s;
  }
  return all;
}

/// What goes through the whole step, each part apart from the others.
struct StepFigures {
  std::uint32_t busiest = 0;
  std::vector<PathStep> path;
  Breakdown breakdown{};
  StepEnergy energy;
  PlacementFigures placement;
  std::vector<StageMemory> memory;
  std::string fingerprint;
};

StepFigures step_figures(const SimulatedStep& simulated) {
  const Scenario& scenario = simulated.scenario;
  const Plan& plan = simulated.plan;
  const Timeline& timeline = simulated.timeline;
  StepFigures figures;
  const std::array<std::function<void()>, 5> parts{
      [&] { figures.energy = step_energy(simulated); },
      [&] {
        figures.busiest = busiest_rank(plan, timeline);
        figures.path = critical_path(plan, timeline);
        figures.breakdown = path_breakdown(plan, timeline, figures.path, figures.busiest);
      },
      [&] { figures.fingerprint = fingerprint_of(simulated.passes, plan, timeline).text(); },
      [&] {
        figures.memory =
            stage_memory(scenario.recipe, simulated.cluster.spec().gpu, simulated.grid);
      },
      [&] {
        figures.placement =
            placement_figures(simulated.context(), scenario.placement, plan, timeline);
      }};
  parallel_each(parts.size(), [&](std::size_t i) { parts[i](); });
  return figures;
}

EngineFigures engine_figures(const SimulatedStep& simulated, std::string fingerprint) {
  std::uint64_t events = simulated.timeline.events + events_in(simulated.passes);
  for (const LaterState& state : simulated.later) events += events_in(state.passes);
  return {.events = events,
          .repeated_events = simulated.timeline.repeated,
          .wall_s = simulated.wall_s,
          .ranks = simulated.grid.ranks(),
          .ranks_simulated = static_cast<int>(simulated.plan.ranks.size()),
          .fingerprint = std::move(fingerprint)};
}

}  // namespace

PredictedStep predicted_step(const Scenario& scenario, const Report& report) {
  return {report.step_time_s,
          report.breakdown,
          scenario.cluster.gpu.name,
          scenario.recipe.training.precision,
          scenario.recipe.model.kv_channels,
          scenario.gpus(),
          scenario.cluster.node.gpus,
          scenario.recipe.knowledge(),
          scenario.cluster.gpu.kernels.value,
          blocks_of(scenario.recipe.model),
          report.passes_s,
          dp_messages_s(report.communication)};
}

SimulatedStep simulate_step(const Scenario& scenario, const SimulateOptions& options) {
  return come_and_go(scenario.cluster.faults) ? simulate_changing_step(scenario, options)
                                              : simulate_steady_step(scenario, options);
}

Report report_of(const SimulatedStep& simulated) {
  const Scenario& scenario = simulated.scenario;
  const Recipe& recipe = scenario.recipe;
  const Plan& plan = simulated.plan;
  const Timeline& timeline = simulated.timeline;
  const GpuSpec& gpu = simulated.cluster.spec().gpu;
  StepFigures figures = step_figures(simulated);
  const double step_s = to_seconds(timeline.end);
  const Speed speed = speed_of(scenario, step_s);
  std::optional<HostMemory> on_hosts;
  if (recipe.offload.anything()) on_hosts = host_memory(simulated, figures.memory);
  Report report{
      .scenario = scenario.name,
      .source = scenario.source,
      .changed_from = scenario.changed_from,
      .hardware = scenario.hardware,
      .cluster = cluster_text(scenario),
      .model = recipe.model.name,
      .software = recipe.software.name,
      .layout = layout_text(recipe, simulated.grid),
      .recipe = resolved_recipe(scenario),
      .parameters = parameter_counts(recipe),
      .gpus = scenario.gpus(),
      .data_parallel = simulated.grid.dp(),
      .micro_batches = simulated.grid.micro_batches(),
      .step_time_s = step_s,
      .step_time_error = {},
      .step_spread = spread_of(simulated),
      .sample = {},
      .tokens_per_s = speed.tokens_per_s,
      .tflops_per_gpu = speed.tflops,
      .mfu = model_flops_utilization(speed.tflops, speed.peak_tflops),
      .mfu_convention = scenario.mfu_convention,
      .days_per_1t_tokens = days_per_trillion_tokens(speed.tokens_per_s),
      .model_flops_per_sample = speed.flops_per_sample,
      .peak_tflops_per_gpu = speed.peak_tflops,
      .clock = simulated.clock,
      .breakdown = figures.breakdown,
      .passes_s = longest_passes_s(plan),
      .memory = std::move(figures.memory),
      .memory_capacity = static_cast<double>(gpu.memory_capacity.value.value()),
      .host_memory = on_hosts,
      .communication = communication_table(simulated, figures.path, figures.busiest),
      .placement = std::move(figures.placement),
      .faults = fault_texts(scenario.cluster.faults),
      .steps_in_row = simulated.in_row,
      .energy = std::move(figures.energy),
      .engine = engine_figures(simulated, std::move(figures.fingerprint)),
  };
  report.step_time_error = step_error(scenario.uncertainty, predicted_step(scenario, report));
  return report;
}

Report simulate(const Scenario& scenario, const SimulateOptions& options) {
  return report_of(simulate_step(scenario, options));
}

}  // namespace simtrain
