#include "sim/run/step/planned_rank.h"

#include <algorithm>

#include "sim/core/invariant.h"

namespace simtrain {
namespace {

constexpr int kWhole = -1;

std::uint32_t index_of(const Plan& plan, int rank) {
  const auto found = std::find_if(plan.ranks.begin(), plan.ranks.end(),
                                  [&](const SimulatedRank& one) { return one.rank == rank; });
  invariant(found != plan.ranks.end(), "the representative of a rank is simulated");
  return static_cast<std::uint32_t>(found - plan.ranks.begin());
}

/// Pieces are simulated on the first TP x CP group of a class; the others lie like it.
int piece_place(const PlannedStep& step, int rank) {
  const std::vector<int>& pass = step.classes.pass;
  const auto first = std::find(pass.begin(), pass.end(), pass[static_cast<std::size_t>(rank)]);
  const std::vector<int> own = step.grid.group(GroupKind::replica, rank);
  const std::vector<int> there =
      step.grid.group(GroupKind::replica, static_cast<int>(first - pass.begin()));
  const auto place = std::find(own.begin(), own.end(), rank) - own.begin();
  return step.classes
      .piece_representative[static_cast<std::size_t>(there[static_cast<std::size_t>(place)])];
}

}  // namespace

PlannedRank::PlannedRank(const PlannedStep& step, int rank)
    : step_(step),
      rank_(rank),
      stage_(step.grid.coordinates(rank).pp),
      representative_(step.classes.step_representative[static_cast<std::size_t>(rank)]),
      place_(index_of(step.plan, representative_)),
      program_(step.plan.programs[step.plan.ranks[place_].program]),
      piece_place_(piece_place(step, rank)),
      passes_(step.context(), step.costs_of(rank), stage_) {
  number_stretches();
}

/// Ops of one pass follow each other on the compute stream.
void PlannedRank::number_stretches() {
  stretches_.assign(program_.ops.size(), kWhole);
  std::uint32_t last = kNoOp;
  for (std::uint32_t op = 0; op < program_.ops.size(); ++op) {
    if (!program_.ops[op].compute || !is_pass(program_.ops[op])) continue;
    if (last != kNoOp && same_pass(program_.ops[last], program_.ops[op])) {
      stretches_[last] = std::max(stretches_[last], 0);
      stretches_[op] = stretches_[last] + 1;
    }
    last = op;
  }
}

std::vector<Stretch> PlannedRank::stretches(std::uint32_t op_index) const {
  const Op& op = program_.ops[op_index];
  if (!op.compute) return {};
  if (op.label == Label::weight_gradient) {
    const int kept = step_.scenario.recipe.deferred_weight_gradients(step_.grid.micro_batches());
    return std::vector<Stretch>(static_cast<std::size_t>(kept),
                                {{{Part::head, Phase::weight_gradient}}});
  }
  if (!is_pass(op)) return {};
  std::vector<Stretch> all = passes_.stretches({.phase = phase_of(op.label),
                                                .micro_batch = static_cast<int>(op.micro_batch),
                                                .chunk = op.chunk,
                                                .beside = op.beside});
  const int own = stretches_[op_index];
  if (own == kWhole) return all;
  return {std::move(all[static_cast<std::size_t>(own)])};
}

std::vector<PieceRun> PlannedRank::pieces(std::uint32_t op, const SimulatedPieces& of) const {
  std::vector<PieceRun> runs;
  for (Stretch& stretch : stretches(op)) {
    // Costs are added layer first; weights are cast and scales are made before it runs.
    if (program_.ops[op].label == Label::forward)
      std::reverse(stretch.pieces.begin(), stretch.pieces.end());
    for (const Piece& piece : stretch.pieces) {
      const Duration start = runs.empty() ? Duration(0) : runs.back().end;
      runs.push_back({piece, &of[piece], stretch.layer, start, start + of[piece].cost.time});
    }
  }
  return runs;
}

bool PlannedRank::is_stretch(std::uint32_t op) const { return stretches_[op] != kWhole; }

std::uint32_t PlannedRank::place_in(const SimulatedPiece& piece) const {
  return index_of(piece.plan, piece_place_);
}

}  // namespace simtrain
