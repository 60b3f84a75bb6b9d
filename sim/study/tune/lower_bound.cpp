#include "sim/study/tune/lower_bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "sim/run/energy/beside_gpus.h"
#include "sim/run/energy/step_draws.h"
#include "sim/run/pieces/pieces.h"
#include "sim/study/tune/stage_bound.h"
#include "sim/workload/plan/program/step_clock.h"
#include "sim/workload/plan/program/step_plan.h"
#include "sim/workload/plan/stage_passes.h"
#include "sim/workload/schedule/recipe_grid.h"

namespace simtrain {
namespace {

/// Seconds are added up in another order than simulate() adds its picoseconds.
constexpr double kRounding = 1 - 1e-9;

bool alike(const ComputeCost& a, const ComputeCost& b) {
  return a.time == b.time && a.sm_bound == b.sm_bound;
}

/// When a rank has run a program if its groups are always there and its transfers have their links
/// to themselves. Transfers round to picoseconds more often than here.
Duration undisturbed(const Program& program) {
  constexpr Duration kRoundedUp{1};
  std::array<Duration, kStreams> streams{};  // when the latest op of each ends
  std::vector<Duration> ends;
  ends.reserve(program.ops.size());
  for (const Op& op : program.ops) {
    Duration& now = streams[static_cast<std::size_t>(op.stream)];
    for (const std::uint32_t before : op.after) {
      if (before < ends.size()) now = std::max(now, ends[before]);
    }
    now = op.compute ? add_times(now, program.compute_costs[op.cost].time, 1)
                     : add_times(now, program.transfers[op.cost].alone() - kRoundedUp, 1);
    ends.push_back(now);
  }
  return *std::max_element(streams.begin(), streams.end());
}

/// Each piece where it is shortest. Unlike ones lose what waits for stragglers are computed from.
PieceCosts shortest(const std::vector<Piece>& pieces, const std::vector<PieceCosts>& classes) {
  PieceCosts result = classes.front();
  for (const Piece& piece : pieces) {
    const bool all = std::all_of(classes.begin(), classes.end(), [&](const PieceCosts& costs) {
      return alike(costs[piece], result[piece]);
    });
    if (all) continue;
    PieceCost least;
    least.time = result[piece].time;
    for (const PieceCosts& costs : classes) least.time = std::min(least.time, costs[piece].time);
    result[piece] = least;
  }
  // Depends on the layers of a chunk and on DP.
  result[{Part::amax}] = {};
  return result;
}

/// The first stage, the one before the last and the last: those in between are like the latter but
/// where a layout sets the layers of each, or layers differ. Of a model held twice the first half
/// of the stages: the others run the same.
std::vector<int> unlike_stages(const Recipe& recipe, const ModelTotals& totals) {
  const int last = std::max(1, recipe.pp() / pipeline_shape(recipe, 1).copies()) - 1;
  std::vector<int> stages{0, std::max(0, last - 1), last};
  if (recipe.parallelism.pipeline_model_parallel_layout || totals.kinds() > 1) {
    stages.resize(static_cast<std::size_t>(last) + 1);
    std::iota(stages.begin(), stages.end(), 0);
  }
  stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
  return stages;
}

/// Of the ranks of all groups that lie unlike. The amax reduction depends on the layers of a chunk,
/// and a combined pair of passes is shorter than its pieces: both count as idle.
std::optional<ByPiece<double>> least_above_idle(const Recipe& recipe, const GpuDraw& draw,
                                                const std::vector<SimulatedPieces>& passes) {
  if (draw.streaming() < draw.idle()) return std::nullopt;
  ByPiece<double> least = passes.front().map([](const SimulatedPiece& /*piece*/) { return 0.0; });
  if (recipe.overlap.overlap_moe_expert_parallel_comm) return least;
  for (const Piece& which : pieces_of(recipe)) {
    if (which.part == Part::amax) continue;
    double joules = std::numeric_limits<double>::infinity();
    for (const SimulatedPieces& pieces : passes) {
      const SimulatedPiece& piece = pieces[which];
      for (std::uint32_t place = 0; place < piece.plan.ranks.size(); ++place) {
        const PieceEnergy energy = piece_energy(draw, piece, place);
        const double seconds = to_seconds(energy.time);
        joules = std::min({joules, sum_of(energy.joules) - draw.idle() * seconds,
                           (draw.limit() - draw.idle()) * seconds});
      }
    }
    if (joules < 0) return std::nullopt;
    least[which] = std::isfinite(joules) ? joules : 0;
  }
  return least;
}

double pipeline_bound(const BoundContext& context, bool with_ends) {
  std::vector<StageBound> bounds;
  for (const int stage : unlike_stages(context.recipe, context.totals))
    bounds.push_back(stage_bound(context, stage, with_ends));
  return bound_of(context, bounds);
}

}  // namespace

StepTimeBound::StepTimeBound(const Scenario& scenario)
    : cluster_(scenario.cluster),
      placement_(place(scenario.cluster, scenario.placement)),
      gpus_(scenario.gpus()),
      world_(layout_of(cluster_, placement_.gpu_of_rank)),
      pue_(scenario.cost.pue.value_or(scenario.cluster.pue.value)) {}

PassKey StepTimeBound::key(const Recipe& recipe) const {
  PassKey key{recipe.tp(), recipe.cp(), recipe.training.micro_batch_size,
              static_cast<int>(recipe.recompute)};
  key.cut = schedule_of(pipeline_shape(recipe, 1)).cuts_backward;
  if (recipe.holds_table_twice()) key.pp = 2;
  if (!cluster_.inner_links_never_bind()) {
    key.pp = recipe.pp();
    key.dp = rank_grid(recipe, gpus_).dp();
  }
  if (recipe.model.has_experts()) {
    key.ep = recipe.ep();
    key.etp = recipe.etp();
    const bool flex = recipe.moe.moe_token_dispatcher_type == TokenDispatcher::flex;
    key.dispatch = static_cast<int>(recipe.moe.moe_token_dispatcher_type) +
                   (flex ? static_cast<int>(recipe.moe.moe_flex_dispatcher_backend) : 0);
  }
  return key;
}

double StepTimeBound::clock(const Recipe& recipe, const ModelTotals& totals,
                            const RankGrid& grid) const {
  const FittedKernelModel full_clock(cluster_.spec().gpu);
  return step_clock({{recipe, totals, cluster_, placement_, grid}, full_clock});
}

PassCosts StepTimeBound::pass_costs(const Recipe& recipe) const {
  const RankGrid grid = rank_grid(recipe, gpus_);
  const RankClasses& classes = rank_classes(cluster_, placement_, grid, false);
  PassCosts costs{.totals = std::make_shared<const ModelTotals>(recipe)};
  costs.clock = clock(recipe, *costs.totals, grid);
  const FittedKernelModel kernels(cluster_.spec().gpu, costs.clock);
  const JobContext job{recipe, *costs.totals, cluster_, placement_, grid};
  const std::vector<SimulatedPieces> passes = simulate_pieces({{job, kernels}, classes});
  costs.pieces = shortest(pieces_of(recipe), costs_of(passes));
  costs.above_idle =
      least_above_idle(recipe, GpuDraw(cluster_.spec().gpu.power, costs.clock), passes);
  return costs;
}

PassCosts StepTimeBound::alone_costs(const Recipe& recipe) const {
  const RankGrid grid = rank_grid(recipe, gpus_);
  PassCosts costs{.totals = std::make_shared<const ModelTotals>(recipe)};
  costs.pieces = PieceCosts(costs.totals->kinds());
  costs.clock = clock(recipe, *costs.totals, grid);
  const FittedKernelModel kernels(cluster_.spec().gpu, costs.clock);
  const KernelContext context{{recipe, *costs.totals, cluster_, placement_, grid}, kernels};
  const std::vector<int>& ranks = first_of_passes(cluster_, placement_, grid);
  for (const Piece& piece : pieces_of(recipe)) {
    if (piece.part == Part::amax) continue;
    ComputeCost& cost = costs.pieces[piece];
    cost.time = undisturbed(piece_program(context, piece, ranks.front()));
    for (std::size_t other = 1; other < ranks.size(); ++other)
      cost.time = std::min(cost.time, undisturbed(piece_program(context, piece, ranks[other])));
  }
  return costs;
}

double StepTimeBound::seconds(const Recipe& recipe, const PassCosts& costs, bool with_ends) const {
  const RankGrid grid = rank_grid(recipe, gpus_);
  const FittedKernelModel kernels(cluster_.spec().gpu, costs.clock);
  const JobContext job{recipe, *costs.totals, cluster_, placement_, grid};
  return pipeline_bound({{job, kernels}, costs.pieces, world_}, with_ends) * kRounding;
}

double StepTimeBound::joules_per_token(const Recipe& recipe, const PassCosts& costs,
                                       double step_s) const {
  if (!costs.above_idle || step_s <= 0) return 0;
  const RankGrid grid = rank_grid(recipe, gpus_);
  double above = 0;
  for (int stage = 0; stage < recipe.pp(); ++stage) {
    const ByPiece<std::int64_t> counts = piece_counts(recipe, stage, grid.micro_batches());
    above += std::inner_product(
        counts.begin(), counts.end(), costs.above_idle->begin(), 0.0, std::plus<>(),
        [](std::int64_t times, double joules) { return static_cast<double>(times) * joules; });
  }
  const GpuDraw draw(cluster_.spec().gpu.power, costs.clock);
  // step_energy rounds each kind of a rank to thousandths.
  constexpr double kRoundedOff = kDrawKinds * 0.5e-3;
  StepEnergy energy;
  energy.step_s = step_s;
  energy.gpus = gpus_;
  energy.pue = pue_;
  energy.joules[static_cast<std::size_t>(PowerPart::gpus)] =
      std::max(0.0, (draw.idle() * step_s - kRoundedOff) * gpus_ + above * gpus_ / recipe.pp());
  add_beside_gpus(energy, cluster_, placement_);
  const TrainingSpec& training = recipe.training;
  energy.tokens = static_cast<double>(training.seq_length) * training.global_batch_size;
  return energy.joules_per_token() * kRounding;
}

}  // namespace simtrain
