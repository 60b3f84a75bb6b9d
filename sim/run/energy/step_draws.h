#pragma once

#include <map>
#include <vector>

#include "sim/run/energy/draw_walk.h"
#include "sim/run/step/step_rank.h"

namespace simtrain {

/// What a rank of a piece's plan draws while the piece runs alone.
struct PieceEnergy {
  ByDrawKind joules{};
  Duration time{};  ///< without waits for stragglers and the host
};
PieceEnergy piece_energy(const GpuDraw& draw, const SimulatedPiece& piece, std::uint32_t place);

/// What one rank draws over a step.
class StepDraws {
 public:
  StepDraws(const SimulatedStep& simulated, const StepRank& rank);

  /// States are numbered from 0: those of no op, then by cost.
  static std::size_t number_of(const DrawState& state) {
    const std::size_t op = state.cost == kNoOp ? 0 : state.cost + std::size_t{1};
    return 2 * op + (state.moving ? 1 : 0);
  }
  [[nodiscard]] std::size_t states() const { return watts_.size(); }
  /// What the rank draws in a state.
  [[nodiscard]] const ByDrawKind& watts_of(std::size_t state) const { return watts_[state]; }
  /// The same in all.
  [[nodiscard]] double sum(const DrawState& state) const { return sums_[number_of(state)]; }
  /// Goes through the step, stretch by stretch.
  template <class Sink>
  void walk(Sink sink) const {
    walk_draws(rank_.program(), rank_.spans(), simulated_.timeline.end, sink);
  }

 private:
  [[nodiscard]] ByDrawKind of_pieces(const ComputeCost& cost, const std::vector<PieceRun>& runs);
  [[nodiscard]] ByDrawKind of_end(const ComputeCost& cost) const;

  const SimulatedStep& simulated_;
  const StepRank& rank_;
  GpuDraw draw_;
  std::map<const SimulatedPiece*, PieceEnergy> of_piece_;
  std::vector<ByDrawKind> watts_;  ///< by state
  std::vector<double> sums_;       ///< of `watts_`
};

}  // namespace simtrain
