#include "sim/run/analysis/waterfall.h"

#include <array>
#include <cmath>

#include "sim/workload/plan/stage_passes.h"

namespace simtrain {
namespace {

constexpr std::array kKernelShares{Share::gemm, Share::attention,      Share::memory_bound,
                                   Share::fp8,  Share::embedding_loss, Share::host};

/// Seconds that the mean rank's compute ops take alone, by share.
Breakdown mean_kernels(const SimulatedStep& simulated) {
  const std::vector<int> behind = ranks_behind(simulated);
  Breakdown mean{};
  for (std::size_t i = 0; i < simulated.plan.ranks.size(); ++i) {
    const Program& program = simulated.plan.programs[simulated.plan.ranks[i].program];
    const double weight = static_cast<double>(behind[i]) / simulated.grid.ranks();
    for (const Op& op : program.ops) {
      if (!op.compute) continue;
      const Breakdown& parts = program.compute_costs[op.cost].parts;
      for (std::size_t share = 0; share < kShares; ++share) mean[share] += parts[share] * weight;
    }
  }
  return mean;
}

/// What the pieces of a simulated step cost with another recipe or other kernels.
std::vector<PieceCosts> costs_with(const SimulatedStep& simulated, const Recipe& recipe,
                                   const KernelModel& kernels) {
  const ModelTotals totals(recipe);
  const JobContext job{recipe, totals, simulated.cluster, simulated.placement, simulated.grid};
  return costs_of(simulate_pieces({{job, kernels}, simulated.classes}));
}

/// Seconds of a step that the mean rank spends in its pieces, by share; `costs` by pass class.
Breakdown mean_pieces(const SimulatedStep& simulated, const Recipe& recipe,
                      const std::vector<PieceCosts>& costs) {
  const std::vector<Piece> pieces = pieces_of(recipe);
  std::vector<ByPiece<std::int64_t>> counts;
  counts.reserve(static_cast<std::size_t>(simulated.grid.pp()));
  for (int stage = 0; stage < simulated.grid.pp(); ++stage)
    counts.push_back(piece_counts(recipe, stage, simulated.grid.micro_batches()));
  Breakdown mean{};
  for (int rank = 0; rank < simulated.grid.ranks(); ++rank) {
    const PieceCosts& taken =
        costs[static_cast<std::size_t>(simulated.classes.pass[static_cast<std::size_t>(rank)])];
    const auto& times = counts[static_cast<std::size_t>(simulated.grid.coordinates(rank).pp)];
    for (const Piece& piece : pieces) {
      const double weight = static_cast<double>(times[piece]) / simulated.grid.ranks();
      for (std::size_t share = 0; share < kShares; ++share)
        mean[share] += taken[piece].parts[share] * weight;
    }
  }
  return mean;
}

Breakdown difference(Breakdown a, const Breakdown& b) {
  for (std::size_t share = 0; share < kShares; ++share) a[share] -= b[share];
  return a;
}

double kernel_sum(const Breakdown& breakdown) {
  double sum = 0;
  for (const Share share : kKernelShares) sum += part(breakdown, share);
  return sum;
}

/// Time of the convention's FLOPs at the peak.
struct UsefulTime {
  double attention = 0;
  double output_layer = 0;
  double gemm = 0;  ///< the layers' other matrix products
};

UsefulTime useful_time(const SimulatedStep& simulated, const Report& report) {
  const Scenario& scenario = simulated.scenario;
  const Recipe& recipe = scenario.recipe;
  const double half_square = model_flops_per_sample(recipe, MfuConvention::nvidia_dgxc) -
                             model_flops_per_sample(recipe, MfuConvention::causal);
  Recipe headless = recipe;
  headless.model.vocab_size = 0;
  const double all = report.model_flops_per_sample;
  const double useful_s = report.mfu * report.step_time_s;
  UsefulTime useful;
  useful.attention = useful_s / all * half_square * (2 * counted_square(report.mfu_convention));
  useful.output_layer = useful_s / all *
                        (model_flops_per_sample(recipe, MfuConvention::causal) -
                         model_flops_per_sample(headless, MfuConvention::causal));
  useful.gemm = useful_s - useful.attention - useful.output_layer;
  return useful;
}

/// The rows of kernels: what the mean GPU spends on each kind beyond its useful FLOPs.
void add_kernels(Waterfall& fall, const SimulatedStep& simulated, const Report& report,
                 const Breakdown& mean) {
  const Recipe& recipe = simulated.scenario.recipe;
  Breakdown rest = mean;
  const FittedKernelModel full_clock(simulated.cluster.spec().gpu);
  const Breakdown fast = mean_pieces(simulated, recipe, costs_with(simulated, recipe, full_clock));
  const Breakdown power = difference(mean_pieces(simulated, recipe, simulated.costs), fast);
  rest = difference(rest, power);
  Breakdown again{};
  if (recipe.recompute != Recompute::none) {
    Recipe kept = recipe;
    kept.recompute = Recompute::none;
    again =
        difference(fast, mean_pieces(simulated, recipe, costs_with(simulated, kept, full_clock)));
    rest = difference(rest, again);
  }
  const UsefulTime useful = useful_time(simulated, report);
  fall.losses.push_back({"power limit",
                         "what kernels take longer than at the full clock, which the GPU's power "
                         "limit does not allow for long",
                         Share::interference, kernel_sum(power)});
  fall.losses.push_back({"GEMM efficiency",
                         "GEMMs of the layers at full clock, beyond what their FLOPs take at the "
                         "peak: tiles, waves and rates that no kernel reaches",
                         Share::gemm, part(rest, Share::gemm) - useful.gemm});
  fall.losses.push_back({"attention efficiency",
                         "fused attention at full clock, beyond what its counted FLOPs take at the "
                         "peak; most conventions count twice what causal attention computes",
                         Share::attention, part(rest, Share::attention) - useful.attention});
  fall.losses.push_back({"recompute", "activations computed again in the backward pass",
                         Share::embedding_loss, kernel_sum(again)});
  fall.losses.push_back({"memory-bound kernels", "norms, activations, rotary embedding, residuals",
                         Share::memory_bound, part(rest, Share::memory_bound)});
  fall.losses.push_back({"FP8 casts", "quantization, transposes, amax and scales", Share::fp8,
                         part(rest, Share::fp8)});
  fall.losses.push_back({"output layer and loss",
                         "embedding, output layer and cross-entropy, beyond what the output "
                         "layer's FLOPs take at the peak",
                         Share::embedding_loss,
                         part(rest, Share::embedding_loss) - useful.output_layer});
  fall.losses.push_back({"host launches", "the GPU waits until the host has launched a kernel",
                         Share::host, part(rest, Share::host)});
}

/// The rows that the breakdown of the critical path has already.
void add_path(Waterfall& fall, const Report& report, const Breakdown& mean) {
  const auto row = [&](std::string_view name, std::string_view meaning, Share share) {
    fall.losses.push_back({name, meaning, share, part(report.breakdown, share)});
  };
  fall.losses.push_back({"uneven stages",
                         "the slowest pipeline stage has more to compute than the mean one, and "
                         "the others wait for it",
                         Share::bubble, kernel_sum(report.breakdown) - kernel_sum(mean)});
  row("TP exposed", "tensor-parallel communication that nothing hides", Share::tensor_parallel);
  row("CP exposed", "context-parallel communication that nothing hides", Share::context_parallel);
  row("EP exposed", "tokens on their way to experts and back that nothing hides",
      Share::expert_parallel);
  row("PP exposed", "activations between stages that nothing hides", Share::pipeline_parallel);
  row("DP exposed", "gradients and parameters of replicas that nothing hides",
      Share::data_parallel);
  if (part(report.breakdown, Share::offload) > 0)
    row("offload exposed", "copies to and from hosts, and their updates, that nothing hides",
        Share::offload);
  row("pipeline bubble", "warm-up and cool-down of the pipeline", Share::bubble);
  row("optimizer", "gradient norm and optimizer step", Share::optimizer);
  row("overlap slowdown", "kernels lose SMs and memory bandwidth to transfers beside them",
      Share::interference);
  row("routing imbalance", "ranks wait for the one whose experts have most tokens",
      Share::routing_imbalance);
  row("stragglers", "ranks that meet wait for the slowest of them", Share::stragglers);
}

}  // namespace

Waterfall waterfall(const SimulatedStep& simulated, const Report& report) {
  Waterfall fall;
  fall.step_s = report.step_time_s;
  fall.useful_s = report.mfu * report.step_time_s;
  const Breakdown mean = mean_kernels(simulated);
  add_kernels(fall, simulated, report, mean);
  add_path(fall, report, mean);
  const double nothing = 1e-9 * fall.step_s;
  std::erase_if(fall.losses,
                [&](const WaterfallLoss& loss) { return std::abs(loss.seconds) < nothing; });
  return fall;
}

std::vector<double> waterfall_levels(const Waterfall& waterfall) {
  const auto rounded = [&](double seconds) {
    return std::round(seconds / waterfall.step_s * 1e4) / 1e2;
  };
  std::vector<double> levels{100};
  levels.reserve(waterfall.losses.size() + 1);
  double left = waterfall.step_s;
  for (const WaterfallLoss& loss : waterfall.losses) {
    left -= loss.seconds;
    levels.push_back(rounded(left));
  }
  return levels;
}

}  // namespace simtrain
