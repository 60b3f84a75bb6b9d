#include "sim/run/pieces.h"

#include <algorithm>

#include "sim/run/engine/executor.h"
#include "sim/run/inner_traffic_of.h"
#include "sim/workload/plan/stage_passes.h"
#include "sim/workload/plan/stragglers.h"

namespace simtrain {
namespace {

PieceCost cost_of(const SimulatedPiece& piece) {
  PieceCost cost;
  cost.time = piece.timeline.end;
  cost.inner = inner_traffic(piece.plan, piece.timeline);
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

std::int64_t kernels_in(const Program& program) {
  return std::count_if(program.ops.begin(), program.ops.end(),
                       [](const Op& op) { return op.compute; });
}

/// Kernels that the host launches for a layer. They were counted on layers of attention and MLP;
/// layers of other blocks launch as many more or fewer as their programs have kernels.
double launches_of(const PassContext& context, const SimulatedPiece& simulated,
                   const Piece& piece) {
  const Recipe& recipe = context.recipe;
  const bool forward = piece.phase == Phase::forward;
  const LayerKind& kind = context.totals.layers().kinds()[static_cast<std::size_t>(piece.kind)];
  const int counted = recipe.software.kernel_launches.of_layer(
      forward, recipe.precision().quantized() && !kind.high);
  if (kind.blocks == kUsualLayer) return counted;
  Recipe usual = recipe;
  usual.model.layers.reset();
  const ModelTotals totals(usual);
  const std::vector<LayerKind>& kinds = totals.layers().kinds();
  const auto alike = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const LayerKind& other) { return other.high == kind.high; });
  const KernelContext like{{usual, totals, context.cluster, context.placement, context.grid},
                           context.kernels};
  const Program program =
      piece_program(like, {Part::layer, piece.phase, static_cast<int>(alike - kinds.begin())}, 0);
  return counted * static_cast<double>(kernels_in(simulated.plan.programs.front())) /
         static_cast<double>(kernels_in(program));
}

void wait_for_host(SimulatedPiece& simulated, const PassContext& context, const Piece& piece) {
  const bool launched = piece.phase == Phase::forward || piece.phase == Phase::backward;
  if (context.recipe.cuda_graphs || piece.part != Part::layer || !launched) return;
  const double latency = to_seconds(context.cluster.spec().node.host_launch_latency.value);
  const Duration host = to_duration(launches_of(context, simulated, piece) * latency);
  PieceCost& cost = simulated.cost;
  if (host <= cost.time) return;
  const double slack = to_seconds(host - cost.time);
  part(cost.parts, Share::host) += slack;
  for (InnerTraffic& traffic : cost.inner) {
    for (double& delay : traffic.delay_s) delay = std::max(0.0, delay - slack);
  }
  cost.time = host;
}

/// The ranks of a TP x CP group meet in every piece.
void wait_for_stragglers(ComputeCost& cost, const PassContext& context) {
  const int ranks = context.grid.ranks_of(GroupKind::replica);
  append(cost, straggler_wait(context.cluster.spec().gpu.power, cost, 1, ranks), 1);
}

SimulatedPieces simulate_pass(const PassContext& context, int pass) {
  SimulatedPieces pieces(context.totals.kinds());
  for (const Piece& which : pieces_of(context.recipe)) {
    SimulatedPiece& piece = pieces[which];
    piece.plan = piece_plan(context, which, pass);
    piece.timeline = execute(piece.plan);
    piece.path = critical_path(piece.plan, piece.timeline);
    piece.cost = cost_of(piece);
    wait_for_stragglers(piece.cost, context);
    wait_for_host(piece, context, which);
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
  std::vector<PieceCosts> costs;
  costs.reserve(passes.size());
  for (const SimulatedPieces& pieces : passes)
    costs.push_back(pieces.map([](const SimulatedPiece& piece) { return piece.cost; }));
  return costs;
}

}  // namespace simtrain
