#pragma once

#include <vector>

#include "sim/workload/plan/step_plan.h"
#include "sim/workload/schedule/schedule.h"
#include "sim/workload/schedule/stage_layout.h"

namespace simtrain {

/// One stretch of a pass: a layer, the embedding or the head, and the share of the chunk's
/// parameters up to its end, in the pass's direction.
struct Segment {
  ComputeCost cost;
  double parameters_done = 0;
};

/// What a stretch is made of: the pieces that are added up, and for a layer its number in the
/// chunk.
struct Stretch {
  std::vector<Piece> pieces;
  int layer = -1;
};

/// Adds `times` pieces to a sum; the shares that stretch are averaged by time.
void append(ComputeCost& sum, const ComputeCost& piece, int times);

/// All passes of a stage's program, as one cost.
ComputeCost passes_of(const Program& program);

/// What the passes of one pipeline stage are made of.
class StagePasses {
 public:
  /// `pieces`: what they take on the stage's ranks.
  StagePasses(const JobContext& context, const PieceCosts& pieces, int stage)
      : recipe_(context.recipe),
        pieces_(pieces),
        power_(context.cluster.spec().gpu.power),
        met_(context.grid.ranks_of(GroupKind::replica)),
        pass_ranks_(context.grid.pass_ranks()),
        chunks_(stage_chunks(context.recipe, stage)) {}

  [[nodiscard]] const std::vector<ChunkLayout>& chunks() const { return chunks_; }
  /// The stretches of a pass in the order in which they run: their pieces, and what they cost. The
  /// last one's cost holds the pass's wait for other replicas too.
  [[nodiscard]] std::vector<Stretch> stretches(const StageAction& action) const;
  [[nodiscard]] std::vector<Segment> segments(const StageAction& action) const;
  /// The whole pass.
  [[nodiscard]] ComputeCost whole(const StageAction& action) const;
  /// Forward on the first micro-batch casts weights; backward of the head may defer its weight
  /// gradient. Both make a pass that costs something else than its siblings.
  [[nodiscard]] bool differs(const StageAction& action) const;
  [[nodiscard]] const ComputeCost& piece(Piece which) const {
    return pieces_[static_cast<std::size_t>(which)];
  }

 private:
  [[nodiscard]] ComputeCost wait_for_replicas(const ComputeCost& pass) const;
  [[nodiscard]] Piece head_piece(const StageAction& action) const;

  const Recipe& recipe_;
  const PieceCosts& pieces_;
  const PowerSpec& power_;
  int met_;
  int pass_ranks_;
  std::vector<ChunkLayout> chunks_;
};

}  // namespace simtrain
