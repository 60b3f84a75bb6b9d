#pragma once

#include <optional>
#include <vector>

#include <boost/container/static_vector.hpp>

#include "sim/workload/model/sharding.h"
#include "sim/workload/plan/step_context.h"
#include "sim/workload/schedule/schedule.h"
#include "sim/workload/schedule/stage_layout.h"

namespace simtrain {

/// One stretch of a pass: a layer, the embedding or the head, and the share of the chunk's
/// parameters up to its end, in the pass's direction.
struct Segment {
  PieceCost cost;
  double parameters_done = 0;
};

/// What a stretch is made of: the pieces that are added up, and for a layer its number in the
/// model.
struct Stretch {  // NOLINT(bugprone-exception-escape): none has more pieces
  boost::container::static_vector<Piece, 3> pieces;  ///< none on the heap: thousands in a search
  int layer = -1;
  /// Of a pass in a combined pair: what the layer runs in, beside one of the other pass, in place
  /// of the first piece.
  std::optional<Piece> pair{};
};

/// The stretches of a pass of a stage's chunks in the order in which they run.
std::vector<Stretch> stretches_of(const Recipe& recipe, const LayerList& layers,
                                  const std::vector<ChunkLayout>& chunks, const Task& action);

/// Passes of a stage that take the same, by the first of them.
struct CountedPass {
  Task action;
  int times = 0;
};
/// All passes of a stage, each kind once.
std::vector<CountedPass> counted_passes(const Recipe& recipe, int stage, int micro_batches);

/// The pieces that a recipe's passes run under its schedule, in the order of ByPiece.
std::vector<Piece> pieces_of(const Recipe& recipe);

/// How the step's ops are labelled that run a phase, and back.
Label label_of(Phase phase);
Phase phase_of(Label pass);

/// How often a stage runs each piece in one step.
ByPiece<std::int64_t> piece_counts(const Recipe& recipe, int stage, int micro_batches);

/// What a rank sends to the stage `step` on (1 or -1) of one micro-batch: activations, or their
/// gradient. Under sequence parallelism each rank sends its own rows, otherwise all of them or, as
/// PipelineMessages says, a part, which the next stage then gathers.
TransferCost stage_message(const JobContext& context, int rank, int step);
/// What the first and the last stage, next to each other in the ring of stages, send each other at
/// the end of a step where both hold the table of word embeddings: its gradients. The all-reduce of
/// two ranks moves as much as a message each way.
TransferCost table_message(const JobContext& context, int rank, int step);

/// Adds `times` pieces to a sum; the shares that stretch are averaged by time.
void append(ComputeCost& sum, const ComputeCost& piece, int times);
/// The same with what moves inside.
void append(PieceCost& sum, const PieceCost& piece, int times);

/// A share of all that a piece takes and moves.
PieceCost part_of(const PieceCost& piece, double share);

/// All passes of a stage's program, as one cost.
ComputeCost passes_of(const Program& program);

/// What the passes of one pipeline stage are made of.
class StagePasses {
 public:
  /// `pieces`: what they take on the stage's ranks.
  StagePasses(const JobContext& context, const PieceCosts& pieces, int stage)
      : recipe_(context.recipe),
        totals_(context.totals),
        pieces_(pieces),
        power_(context.cluster.spec().gpu.power),
        met_(context.grid.ranks_of(GroupKind::replica)),
        pass_ranks_(ranks_met_in_passes(context.recipe, context.grid)),
        chunks_(stage_chunks(context.recipe, stage)) {}

  [[nodiscard]] const std::vector<ChunkLayout>& chunks() const { return chunks_; }
  [[nodiscard]] std::vector<Stretch> stretches(const Task& action) const {
    return stretches_of(recipe_, totals_.layers(), chunks_, action);
  }
  /// What the stretches cost; the last one's cost holds the pass's wait for other replicas too.
  [[nodiscard]] std::vector<Segment> segments(const Task& action) const;
  /// The whole pass, or of it what is computed.
  [[nodiscard]] PieceCost whole(const Task& action) const;
  [[nodiscard]] ComputeCost computed(const Task& action) const;
  /// Forward on the first micro-batch casts weights; backward of the head may defer its weight
  /// gradient. Both make a pass that costs something else than its siblings.
  [[nodiscard]] bool differs(const Task& action) const;
  [[nodiscard]] const PieceCost& piece(const Piece& which) const { return pieces_[which]; }
  /// Of the time of a stretch's pair, what its own pass has: as of both passes one after the other.
  [[nodiscard]] double share_of_pair(const Stretch& stretch) const;

 private:
  /// A stretch as PieceCost, or as ComputeCost without what moves inside.
  template <class Cost>
  [[nodiscard]] Cost cost_of(const Stretch& stretch) const;
  /// Those of a pass; the last one's holds its wait for other replicas too.
  template <class Cost>
  [[nodiscard]] std::vector<Cost> costs_of(const std::vector<Stretch>& held, Phase phase) const;
  template <class Cost>
  [[nodiscard]] Cost sum_of(const Task& action) const;
  [[nodiscard]] ComputeCost wait_for_replicas(const ComputeCost& pass) const;

  const Recipe& recipe_;
  const ModelTotals& totals_;
  const PieceCosts& pieces_;
  const PowerSpec& power_;
  int met_;
  int pass_ranks_;
  std::vector<ChunkLayout> chunks_;
};

}  // namespace simtrain
