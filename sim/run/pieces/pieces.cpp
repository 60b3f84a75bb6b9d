#include "sim/run/pieces/pieces.h"

#include <algorithm>
#include <utility>

#include "sim/run/engine/executor.h"
#include "sim/run/pieces/inner_traffic_of.h"
#include "sim/run/pieces/layer_launches.h"
#include "sim/workload/plan/program/step_plan.h"
#include "sim/workload/plan/stage_passes.h"
#include "sim/workload/plan/stragglers.h"

namespace simtrain {
namespace {

PieceCost cost_of(const ExecutedPiece& piece) {
  PieceCost cost;
  cost.time = piece.timeline.end;
  cost.inner = inner_traffic(piece.plan, piece.timeline);
  cost.parts = path_breakdown(piece.plan, piece.timeline, piece.path,
                              busiest_rank(piece.plan, piece.timeline));
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

/// The ranks of a TP x CP group meet in every piece.
PieceCost with_stragglers(PieceCost cost, const PassContext& context) {
  const int ranks = context.grid.ranks_of(GroupKind::replica);
  append(cost, straggler_wait(context.cluster.spec().gpu.power, cost, 1, ranks), 1);
  return cost;
}

PieceCost with_host_slack(PieceCost cost, double slack) {
  if (slack <= 0) return cost;
  part(cost.parts, Share::host) += slack;
  for (InnerTraffic& traffic : cost.inner) {
    for (double& delay : traffic.delay_s) delay = std::max(0.0, delay - slack);
  }
  cost.time += to_duration(slack);
  return cost;
}

ExecutedPiece executed(Plan plan) {
  Timeline timeline = execute(plan);
  std::vector<PathStep> path = critical_path(plan, timeline);
  return {std::move(plan), std::move(timeline), std::move(path)};
}

SimulatedPieces simulate_pass(const PassContext& context, const LayerLaunches& launches, int pass) {
  SimulatedPieces pieces(context.totals.kinds());
  for (const Piece& which : pieces_of(context.recipe)) {
    ExecutedPiece run = executed(piece_plan(context, which, pass));
    const PieceCost met = with_stragglers(cost_of(run), context);
    const double slack = launches.slack_s(which, run, to_seconds(met.time));
    pieces[which] = {std::move(run), with_host_slack(met, slack)};
  }
  return pieces;
}

}  // namespace

std::vector<SimulatedPieces> simulate_pieces(const PassContext& context) {
  const std::vector<int>& passes = context.classes.pass;
  const int count = *std::max_element(passes.begin(), passes.end()) + 1;
  const LayerLaunches launches(context);
  std::vector<SimulatedPieces> simulated;
  simulated.reserve(static_cast<std::size_t>(count));
  for (int pass = 0; pass < count; ++pass)
    simulated.push_back(simulate_pass(context, launches, pass));
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
