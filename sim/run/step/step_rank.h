#pragma once

#include <vector>

#include "sim/run/step/planned_rank.h"
#include "sim/run/step/simulated_step.h"

namespace simtrain {

/// A share of a simulated piece.
struct PieceShare {
  const SimulatedPiece* simulated = nullptr;
  double share = 1;
};

/// One rank of the job in a simulated step: with its spans, those of the simulated rank that
/// represents it.
class StepRank : public PlannedRank {
 public:
  StepRank(const SimulatedStep& simulated, int rank);

  [[nodiscard]] const Span& span(std::uint32_t op) const { return spans_[op]; }
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }

  /// As of a planned rank, in the state of the cluster in which most of the op ran.
  [[nodiscard]] std::vector<PieceRun> pieces(std::uint32_t op) const;
  /// What the time of such an op is the sum of, but for that wait: its pieces, of a combined pair
  /// the pairs of layers with its share of each; of one that ran in several states of the cluster,
  /// those of each.
  [[nodiscard]] std::vector<PieceShare> shares(std::uint32_t op) const;

  /// When an op is `own` into its own time. An op that was slowed by what ran beside it is
  /// stretched evenly: the engine does not keep where it lost its time. One of a combined pair,
  /// whose pieces alone take longer, is compressed.
  [[nodiscard]] Duration at(std::uint32_t op, Duration own) const;

 private:
  const SimulatedStep& simulated_;
  const std::vector<Span>& spans_;
  std::vector<Duration> own_;  ///< by op of a combined pair: its pieces one after the other
};

}  // namespace simtrain
