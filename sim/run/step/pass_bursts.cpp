#include "sim/run/step/pass_bursts.h"

#include <algorithm>
#include <vector>

#include "sim/run/pieces/inner_traffic_of.h"
#include "sim/run/step/planned_rank.h"

namespace simtrain {
namespace {

/// The transfers of the pieces of an op, one piece after the other.
std::vector<Burst> bursts_of(const PlannedRank& rank, std::uint32_t op, const PassTraffic& calls) {
  std::vector<Burst> bursts;
  for (const PieceRun& run : rank.pieces(op)) {
    const SimulatedPiece& piece = *run.simulated;
    for (Burst burst : bursts_of(piece.plan, piece.timeline, calls)) {
      burst.start_s += to_seconds(run.start);
      burst.needed_s += to_seconds(run.start);
      bursts.push_back(burst);
    }
  }
  return bursts;
}

std::vector<Bursts> bursts_of(const PlannedRank& rank) {
  const Program& program = rank.program();
  std::vector<Bursts> bursts(program.inner.size());
  std::vector<bool> known(program.inner.size(), false);
  for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
    if (!rank.is_stretch(op)) continue;
    const std::uint32_t traffic = program.compute_costs[program.ops[op].cost].traffic;
    if (traffic == kNoTraffic || known[traffic]) continue;
    known[traffic] = true;
    bursts[traffic] = Bursts(bursts_of(rank, op, program.inner[traffic]));
  }
  return bursts;
}

}  // namespace

PlanBursts pass_bursts(const PlannedStep& step) {
  const Plan& plan = step.plan;
  const bool meet = std::any_of(plan.groups.begin(), plan.groups.end(),
                                [](const Group& group) { return !group.inner.empty(); });
  const bool paired = step.scenario.recipe.overlap.overlap_moe_expert_parallel_comm;
  if (!meet || paired) return {};
  PlanBursts bursts(plan.programs.size());
  std::vector<bool> done(plan.programs.size(), false);
  for (const SimulatedRank& rank : plan.ranks) {
    if (done[rank.program]) continue;
    done[rank.program] = true;
    bursts[rank.program] = bursts_of(PlannedRank(step, rank.rank));
  }
  return bursts;
}

}  // namespace simtrain
