#pragma once

#include <vector>

#include "sim/run/step/planned_step.h"
#include "sim/workload/plan/stage_passes.h"

namespace simtrain {

/// A piece inside an op of a step, in the op's own time: from its start, with nothing beside it.
struct PieceRun {
  Piece piece{};
  const SimulatedPiece* simulated = nullptr;
  int layer = -1;  ///< of the model, from 0 on; -1 where the piece is no layer's
  Duration start{};
  Duration end{};
};

/// One rank of the job in a planned step: its program and what runs inside its passes.
class PlannedRank {
 public:
  /// `rank` is one of the job's; the step must outlive this.
  PlannedRank(const PlannedStep& step, int rank);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int stage() const { return stage_; }
  /// The rank that is simulated for it, and its place in the plan.
  [[nodiscard]] int representative() const { return representative_; }
  [[nodiscard]] std::uint32_t place() const { return place_; }
  [[nodiscard]] const Program& program() const { return program_; }

  /// The pieces of a pass in the order in which they run; none for other ops. What a pass takes
  /// beyond their sum it waits for the slowest of its replicas.
  [[nodiscard]] std::vector<PieceRun> pieces(std::uint32_t op) const {
    return pieces(op, step_.pieces_of(rank_));
  }
  /// Whether an op is one of the stretches that a pass is cut into because data-parallel transfers
  /// start or end in it.
  [[nodiscard]] bool is_stretch(std::uint32_t op) const;
  [[nodiscard]] const SimulatedPiece& simulated(const Piece& piece) const {
    return step_.pieces_of(rank_)[piece];
  }
  /// The rank of a piece's plan that simulates what this one does.
  [[nodiscard]] std::uint32_t place_in(const SimulatedPiece& piece) const;

  /// The group of the rank.
  [[nodiscard]] std::vector<int> group(GroupKind kind) const {
    return step_.grid.group(kind, rank_);
  }

 protected:
  /// What a pass runs, by layer or pair of layers.
  [[nodiscard]] std::vector<Stretch> stretches(std::uint32_t op) const;
  /// The pieces of a pass as `of` has them.
  [[nodiscard]] std::vector<PieceRun> pieces(std::uint32_t op, const SimulatedPieces& of) const;
  [[nodiscard]] double share_of_pair(const Stretch& stretch) const {
    return passes_.share_of_pair(stretch);
  }

 private:
  void number_stretches();

  const PlannedStep& step_;
  int rank_;
  int stage_;
  int representative_;
  std::uint32_t place_;
  const Program& program_;
  int piece_place_;  ///< in the first TP x CP group of its class, the rank that simulates its
                     ///< pieces
  StagePasses passes_;
  std::vector<int> stretches_;  ///< by op: which of its pass, where that is cut
};

}  // namespace simtrain
