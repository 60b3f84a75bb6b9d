#include "sim/run/pieces.h"

#include <algorithm>

#include "sim/run/engine/executor.h"
#include "sim/workload/plan/stage_passes.h"
#include "sim/workload/plan/stragglers.h"

namespace simtrain {
namespace {

bool needed(const Recipe& recipe, Piece piece) {
  switch (piece) {
    case Piece::layer_weight_cast:
      return recipe.precision().quantized;
    case Piece::amax:
      return recipe.precision().delayed_scaling;
    case Piece::head_backward_deferred:
    case Piece::head_weight_gradient:
      return recipe.overlap.defer_embedding_wgrad_compute;
    default:
      return true;
  }
}

ComputeCost cost_of(const SimulatedPiece& piece) {
  ComputeCost cost;
  cost.time = piece.timeline.end;
  cost.parts = path_breakdown(piece.plan, piece.timeline, piece.path);
  const double length = to_seconds(cost.time);
  for (const PathStep& step : piece.path) {
    const Program& program = piece.plan.programs[piece.plan.ranks[step.rank].program];
    const Op& op = program.ops[step.op];
    if (!op.compute) continue;
    const Span& span = piece.timeline.span(step.rank, step.op);
    const double share = length > 0 ? to_seconds(span.end - span.start) / length : 0;
    cost.sm_bound += program.compute_costs[op.cost].sm_bound * share;
    cost.memory_bound += program.compute_costs[op.cost].memory_bound * share;
  }
  return cost;
}

void wait_for_host(ComputeCost& cost, const PassContext& context, Piece piece) {
  const Recipe& recipe = context.recipe;
  if (recipe.cuda_graphs || (piece != Piece::layer_forward && piece != Piece::layer_backward))
    return;
  const KernelLaunches& launches = recipe.software.kernel_launches;
  const bool forward = piece == Piece::layer_forward;
  const int count = launches.of_layer(forward, recipe.precision().quantized);
  const Duration host =
      to_duration(count * to_seconds(context.cluster.spec().node.host_launch_latency.value));
  if (host <= cost.time) return;
  part(cost.parts, Share::host) += to_seconds(host - cost.time);
  cost.time = host;
}

/// The ranks of a TP x CP group meet in every piece.
void wait_for_stragglers(ComputeCost& cost, const PassContext& context) {
  const int ranks = context.grid.ranks_of(GroupKind::replica);
  append(cost, straggler_wait(context.cluster.spec().gpu.power, cost, 1, ranks), 1);
}

SimulatedPieces simulate_pass(const PassContext& context, int pass) {
  SimulatedPieces pieces(kPieces);
  for (std::size_t i = 0; i < kPieces; ++i) {
    const auto which = static_cast<Piece>(i);
    if (!needed(context.recipe, which)) continue;
    SimulatedPiece& piece = pieces[i];
    piece.plan = piece_plan(context, which, pass);
    piece.timeline = execute(piece.plan);
    piece.path = critical_path(piece.plan, piece.timeline);
    piece.cost = cost_of(piece);
    wait_for_stragglers(piece.cost, context);
    wait_for_host(piece.cost, context, which);
  }
  return pieces;
}

}  // namespace

std::vector<SimulatedPieces> simulate_pieces(const PassContext& context) {
  const std::vector<int>& passes = context.classes.pass;
  const int count = *std::max_element(passes.begin(), passes.end()) + 1;
  std::vector<SimulatedPieces> simulated;
  simulated.reserve(static_cast<std::size_t>(count));
  for (int pass = 0; pass < count; ++pass) simulated.push_back(simulate_pass(context, pass));
  return simulated;
}

std::vector<PieceCosts> costs_of(const std::vector<SimulatedPieces>& passes) {
  std::vector<PieceCosts> costs(passes.size());
  for (std::size_t pass = 0; pass < passes.size(); ++pass) {
    for (std::size_t piece = 0; piece < kPieces; ++piece)
      costs[pass][piece] = passes[pass][piece].cost;
  }
  return costs;
}

}  // namespace simtrain
