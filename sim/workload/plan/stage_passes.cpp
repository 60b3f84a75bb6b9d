#include "sim/workload/plan/stage_passes.h"

#include <algorithm>
#include <utility>

#include "sim/workload/plan/stragglers.h"

namespace simtrain {

void append(ComputeCost& sum, const ComputeCost& piece, int times) {
  const double before = to_seconds(sum.time);
  const double added = to_seconds(piece.time) * times;
  if (added <= 0) return;
  sum.sm_bound = (sum.sm_bound * before + piece.sm_bound * added) / (before + added);
  sum.memory_bound = (sum.memory_bound * before + piece.memory_bound * added) / (before + added);
  sum.time = add_times(sum.time, piece.time, times);
  for (std::size_t i = 0; i < kShares; ++i) sum.parts[i] += piece.parts[i] * times;
}

ComputeCost passes_of(const Program& program) {
  ComputeCost passes;
  for (const Op& op : program.ops) {
    if (op.label == Label::forward || op.label == Label::backward)
      append(passes, program.compute_costs[op.cost], 1);
  }
  return passes;
}

bool StagePasses::differs(const StageAction& action) const {
  return action.direction == Direction::forward
             ? action.micro_batch == 0
             : recipe_.defers_weight_gradient(action.micro_batch);
}

Piece StagePasses::head_piece(const StageAction& action) const {
  if (action.direction == Direction::forward) return Piece::head_forward;
  return recipe_.defers_weight_gradient(action.micro_batch) ? Piece::head_backward_deferred
                                                            : Piece::head_backward;
}

/// FP8 amax values are reduced once a pass: there all replicas meet that share them.
ComputeCost StagePasses::wait_for_replicas(const ComputeCost& pass) const {
  return straggler_wait(power_, pass, met_, pass_ranks_);
}

std::vector<Stretch> StagePasses::stretches(const StageAction& action) const {
  const bool forward = action.direction == Direction::forward;
  const ChunkLayout& chunk = chunks_[static_cast<std::size_t>(action.chunk)];
  const bool casts =
      forward && recipe_.fp8() && !recipe_.training.fp8_params && action.micro_batch == 0;
  std::vector<Stretch> result;
  if (chunk.embedding)
    result.push_back({{forward ? Piece::embedding_forward : Piece::embedding_backward}});
  for (int layer = 0; layer < chunk.layers; ++layer) {
    Stretch stretch{{forward ? Piece::layer_forward : Piece::layer_backward}, layer};
    if (casts) stretch.pieces.push_back(Piece::layer_weight_cast);
    if (layer == 0 && recipe_.fp8()) stretch.pieces.push_back(Piece::amax);
    result.push_back(std::move(stretch));
  }
  if (chunk.head) result.push_back({{head_piece(action)}});
  if (!forward) std::reverse(result.begin(), result.end());
  return result;
}

std::vector<Segment> StagePasses::segments(const StageAction& action) const {
  const auto embedding_parameters = chunk_parameters(recipe_, {0, true, false});
  const auto layer_parameters = chunk_parameters(recipe_, {1, false, false});
  const auto total = static_cast<double>(std::max<std::int64_t>(
      1, chunk_parameters(recipe_, chunks_[static_cast<std::size_t>(action.chunk)])));
  std::vector<Segment> result;
  std::int64_t done = 0;
  for (const Stretch& stretch : stretches(action)) {
    Segment segment{piece(stretch.pieces.front())};
    for (std::size_t i = 1; i < stretch.pieces.size(); ++i)
      append(segment.cost, piece(stretch.pieces[i]), 1);
    done += stretch.layer < 0 ? embedding_parameters : layer_parameters;
    segment.parameters_done = std::min(1.0, static_cast<double>(done) / total);
    result.push_back(segment);
  }
  if (result.empty()) return result;
  result.back().parameters_done = 1;
  ComputeCost pass;
  for (const Segment& segment : result) append(pass, segment.cost, 1);
  append(result.back().cost, wait_for_replicas(pass), 1);
  return result;
}

ComputeCost StagePasses::whole(const StageAction& action) const {
  ComputeCost sum;
  for (const Segment& segment : segments(action)) append(sum, segment.cost, 1);
  return sum;
}

}  // namespace simtrain
