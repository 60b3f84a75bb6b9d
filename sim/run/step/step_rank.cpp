#include "sim/run/step/step_rank.h"

#include <algorithm>
#include <cmath>

namespace simtrain {

StepRank::StepRank(const SimulatedStep& simulated, int rank)
    : PlannedRank(simulated, rank),
      simulated_(simulated),
      spans_(simulated.timeline.spans[place()]) {
  if (!simulated.scenario.recipe.overlap.overlap_moe_expert_parallel_comm) return;
  own_.assign(program().ops.size(), Duration(0));
  for (std::uint32_t op = 0; op < program().ops.size(); ++op) {
    const std::vector<PieceRun> runs = pieces(op);
    if (!runs.empty()) own_[op] = runs.back().end;
  }
}

std::vector<PieceRun> StepRank::pieces(std::uint32_t op) const {
  const std::vector<StateShare> shares = simulated_.states.of(place(), op);
  const auto most = std::max_element(
      shares.begin(), shares.end(),
      [](const StateShare& one, const StateShare& other) { return one.share < other.share; });
  return PlannedRank::pieces(op, simulated_.pieces_in(most->state, rank()));
}

std::vector<PieceShare> StepRank::shares(std::uint32_t op) const {
  std::vector<PieceShare> result;
  const std::vector<Stretch> all = stretches(op);
  for (const StateShare& state : simulated_.states.of(place(), op)) {
    const SimulatedPieces& simulated = simulated_.pieces_in(state.state, rank());
    for (const Stretch& stretch : all) {
      for (const Piece& piece : stretch.pieces) result.push_back({&simulated[piece], state.share});
      if (stretch.pair)
        result[result.size() - stretch.pieces.size()] = {&simulated[*stretch.pair],
                                                         state.share * share_of_pair(stretch)};
    }
  }
  return result;
}

Duration StepRank::at(std::uint32_t op, Duration own) const {
  const Span& span = spans_[op];
  Duration alone = program().compute_costs[program().ops[op].cost].time;
  if (!own_.empty()) alone = std::max(alone, own_[op]);
  const Duration length = span.end - span.start;
  if (own >= alone) return span.end;
  const double scaled = static_cast<double>(own.count()) * static_cast<double>(length.count()) /
                        static_cast<double>(alone.count());
  return span.start + std::min(length, Duration(std::llround(scaled)));
}

}  // namespace simtrain
