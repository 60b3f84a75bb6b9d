#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "sim/run/simulated_step.h"
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

/// A share of a simulated piece.
struct PieceShare {
  const SimulatedPiece* simulated = nullptr;
  double share = 1;
};

/// One rank of the job in a simulated step: its program, its spans (those of the simulated rank
/// that represents it) and what runs inside its passes.
class StepRank {
 public:
  /// `rank` is one of the job's.
  StepRank(const SimulatedStep& simulated, int rank);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int stage() const { return stage_; }
  /// The rank that was simulated for it.
  [[nodiscard]] int representative() const { return representative_; }
  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] const Span& span(std::uint32_t op) const { return spans_[op]; }
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }

  /// The pieces of a pass in the order in which they run; none for other ops. What a pass takes
  /// beyond their sum it waits for the slowest of its replicas.
  [[nodiscard]] std::vector<PieceRun> pieces(std::uint32_t op) const;
  /// What the time of such an op is the sum of, but for that wait: its pieces, of a combined pair
  /// the pairs of layers with its share of each; of one that ran in several states of the cluster,
  /// those of each.
  [[nodiscard]] std::vector<PieceShare> shares(std::uint32_t op) const;
  /// A piece in the state of the cluster in which the step begins.
  [[nodiscard]] const SimulatedPiece& simulated(const Piece& piece) const {
    return simulated_.pieces_of(rank_)[piece];
  }
  /// The rank of a piece's plan that simulates what this one does.
  [[nodiscard]] std::uint32_t place_in(const SimulatedPiece& piece) const;

  /// When an op is `own` into its own time. An op that was slowed by what ran beside it is
  /// stretched evenly: the engine does not keep where it lost its time. One of a combined pair,
  /// whose pieces alone take longer, is compressed.
  [[nodiscard]] Duration at(std::uint32_t op, Duration own) const;

  /// The group of the rank.
  [[nodiscard]] std::vector<int> group(GroupKind kind) const {
    return simulated_.grid.group(kind, rank_);
  }

 private:
  void number_segments();
  void pair_passes();
  void add_up_pieces();
  [[nodiscard]] std::vector<Stretch> stretches(std::uint32_t op) const;
  [[nodiscard]] const SimulatedPieces& pieces_in(std::uint32_t op) const;
  void append_pieces(std::vector<PieceRun>& runs, const Stretch& stretch, std::uint32_t op) const;

  const SimulatedStep& simulated_;
  int rank_;
  int stage_;
  int representative_;
  std::uint32_t index_;  ///< of the representative among simulated ranks
  const Program& program_;
  const std::vector<Span>& spans_;
  int place_;  ///< in the first TP x CP group of its class, the rank that simulates its pieces
  StagePasses passes_;
  std::vector<int> segments_;  ///< by op: which stretch of a pass that is simulated in parts
  std::vector<Duration> own_;  ///< by op of a combined pair: its pieces one after the other
  /// Own chunks of the other passes of combined pairs, by what is of one pass.
  std::map<std::tuple<Phase, int, int>, int> beside_;
};

}  // namespace simtrain
