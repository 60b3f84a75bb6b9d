#include "sim/run/simulate.h"

#include <chrono>

#include <fmt/format.h>

#include "sim/run/communication.h"
#include "sim/run/executor.h"
#include "sim/run/fingerprint.h"
#include "sim/run/pieces.h"
#include "sim/run/placement_figures.h"
#include "sim/workload/step_clock.h"

namespace simtrain {
namespace {

void add_headline(Report& report, const Scenario& scenario) {
  const Recipe& recipe = scenario.recipe;
  const double batch = recipe.training.global_batch_size;
  report.scenario = scenario.name;
  report.source = scenario.source;
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
  report.model_flops_per_sample =
      model_flops_per_sample(recipe.model, recipe.training.seq_length, scenario.mfu_convention);
  report.peak_tflops_per_gpu = scenario.cluster.gpu.peak(recipe.training.precision).value() / 1e12;
  report.tflops_per_gpu =
      tflops_per_gpu(report.model_flops_per_sample, batch, report.step_time_s, report.gpus);
  report.mfu = model_flops_utilization(report.tflops_per_gpu, report.peak_tflops_per_gpu);
}

double step_time_error(const Scenario& scenario, const Report& report) {
  const ClusterSpec& cluster = scenario.cluster;
  const Recipe& recipe = scenario.recipe;
  return relative_standard_error(
      scenario.uncertainty,
      {report.step_time_s, report.breakdown, cluster.gpu.name, recipe.training.precision,
       recipe.model.kv_channels, report.gpus, cluster.node.gpus});
}

std::vector<std::string> fault_texts(const ClusterFaults& faults) {
  const auto left = [](double share) {
    return share > 0 ? fmt::format("{} of its bandwidth", share) : std::string("down");
  };
  std::vector<std::string> texts;
  texts.reserve(faults.gpus.size() + faults.nics.size() + faults.links.size());
  for (const SlowGpu& slow : faults.gpus)
    texts.push_back(fmt::format("GPU {} of host {}: kernels take {} times as long", slow.gpu,
                                slow.host, slow.slowdown));
  for (const NicFault& nic : faults.nics)
    texts.push_back(fmt::format("NIC {} of {}: {}", nic.nic,
                                nic.host ? "host " + *nic.host : std::string("every host"),
                                left(nic.bandwidth_share)));
  for (const LinkFault& link : faults.links)
    texts.push_back(
        fmt::format("link {} to {}: {}", link.from, link.to, left(link.bandwidth_share)));
  return texts;
}

std::string layout_text(const Recipe& recipe, const RankGrid& grid) {
  return fmt::format(
      "{}, TP {}, PP {}, VP {}, CP {}, DP {}, micro-batch {}, global batch {}, {} micro-batches",
      name_of(recipe.training.precision), recipe.tp(), recipe.pp(), recipe.vp(), recipe.cp(),
      grid.dp(), recipe.training.micro_batch_size, recipe.training.global_batch_size,
      grid.micro_batches());
}

}  // namespace

Report simulate(const Scenario& scenario, const SimulateOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const Recipe& recipe = scenario.recipe;
  const Cluster cluster(scenario.cluster);
  const Placement placement = place(scenario.cluster, scenario.placement);
  const RankGrid grid(recipe, scenario.gpus());
  const RankClasses classes = rank_classes(cluster, placement, grid, options.unfold);

  std::vector<PieceCosts> costs;
  const FittedKernelModel full_clock(cluster.spec().gpu);
  const double clock = step_clock({recipe, cluster, placement, grid, full_clock, classes, costs});
  const FittedKernelModel kernels(cluster.spec().gpu, clock);
  const StepContext context{recipe, cluster, placement, grid, kernels, classes, costs};
  const std::vector<PlayedPieces> passes = play_pieces(context);
  costs = costs_of(passes);

  const Plan plan = step_plan(context);
  const Timeline timeline = execute(plan);
  const std::vector<PathStep> path = critical_path(plan, timeline);

  Report report;
  report.step_time_s = to_seconds(timeline.end);
  add_headline(report, scenario);
  report.layout = layout_text(recipe, grid);
  report.breakdown = path_breakdown(plan, timeline, path);
  report.step_time_error = step_time_error(scenario, report);
  report.communication = communication_table(context, passes, plan, timeline, path);
  report.placement = placement_figures(context, scenario.placement, plan, timeline);
  report.faults = fault_texts(scenario.cluster.faults);
  report.memory = stage_memory(recipe, cluster.spec().gpu, grid);
  report.memory_capacity = static_cast<double>(cluster.spec().gpu.memory_capacity.value.value());
  report.clock = clock;
  report.engine.events = timeline.events;
  for (const PlayedPieces& pieces : passes) {
    for (const PlayedPiece& piece : pieces) report.engine.events += piece.timeline.events;
  }
  report.engine.ranks = grid.ranks();
  report.engine.ranks_simulated = static_cast<int>(plan.ranks.size());
  report.engine.fingerprint = fingerprint_of(passes, plan, timeline).text();
  report.engine.wall_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace simtrain
