#include "sim/workload/plan/stage_passes.h"

#include <algorithm>
#include <utility>

#include "sim/workload/plan/stragglers.h"

namespace simtrain {
namespace {

Piece head_piece(const Recipe& recipe, const Task& action) {
  if (action.direction == Direction::forward) return Piece::head_forward;
  return recipe.defers_weight_gradient(action.micro_batch) ? Piece::head_backward_deferred
                                                           : Piece::head_backward;
}

}  // namespace

std::vector<Stretch> stretches_of(const Recipe& recipe, const ChunkLayout& chunk,
                                  const Task& action) {
  const bool forward = action.direction == Direction::forward;
  const PrecisionRow& precision = recipe.precision();
  const bool casts =
      forward && precision.quantized && !recipe.training.fp8_params && action.micro_batch == 0;
  std::vector<Stretch> result;
  if (chunk.embedding)
    result.push_back({{forward ? Piece::embedding_forward : Piece::embedding_backward}});
  for (int layer = 0; layer < chunk.layers; ++layer) {
    Stretch stretch{{forward ? Piece::layer_forward : Piece::layer_backward}, layer};
    if (casts) stretch.pieces.push_back(Piece::layer_weight_cast);
    if (layer == 0 && precision.delayed_scaling) stretch.pieces.push_back(Piece::amax);
    result.push_back(std::move(stretch));
  }
  if (chunk.head) result.push_back({{head_piece(recipe, action)}});
  if (!forward) std::reverse(result.begin(), result.end());
  return result;
}

std::vector<CountedPass> counted_passes(const Recipe& recipe, int micro_batches) {
  const int deferred = recipe.deferred_weight_gradients(micro_batches);
  std::vector<CountedPass> passes;
  const auto add = [&](const Task& action, int times) {
    if (times > 0) passes.push_back({action, times});
  };
  for (int chunk = 0; chunk < recipe.vp(); ++chunk) {
    add({Direction::forward, 0, chunk}, 1);
    add({Direction::forward, 1, chunk}, micro_batches - 1);
    add({Direction::backward, 0, chunk}, deferred);
    add({Direction::backward, deferred, chunk}, micro_batches - deferred);
  }
  return passes;
}

std::vector<std::int64_t> piece_counts(const Recipe& recipe, int stage, int micro_batches) {
  std::vector<std::int64_t> counts(kPieces, 0);
  const std::vector<ChunkLayout> chunks = stage_chunks(recipe, stage);
  for (const CountedPass& pass : counted_passes(recipe, micro_batches)) {
    const ChunkLayout& chunk = chunks[static_cast<std::size_t>(pass.action.chunk)];
    for (const Stretch& stretch : stretches_of(recipe, chunk, pass.action)) {
      for (const Piece piece : stretch.pieces)
        counts[static_cast<std::size_t>(piece)] += pass.times;
    }
  }
  if (chunks.back().head)
    counts[static_cast<std::size_t>(Piece::head_weight_gradient)] +=
        recipe.deferred_weight_gradients(micro_batches);
  return counts;
}

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

bool StagePasses::differs(const Task& action) const {
  return action.direction == Direction::forward
             ? action.micro_batch == 0
             : recipe_.defers_weight_gradient(action.micro_batch);
}

/// FP8 amax values are reduced once a pass: there all replicas meet that share them.
ComputeCost StagePasses::wait_for_replicas(const ComputeCost& pass) const {
  return straggler_wait(power_, pass, met_, pass_ranks_);
}

std::vector<Segment> StagePasses::segments(const Task& action) const {
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
  if (result.empty()) result.emplace_back();  // a chunk that holds nothing hands on what it gets
  result.back().parameters_done = 1;
  ComputeCost pass;
  for (const Segment& segment : result) append(pass, segment.cost, 1);
  append(result.back().cost, wait_for_replicas(pass), 1);
  return result;
}

ComputeCost StagePasses::whole(const Task& action) const {
  ComputeCost sum;
  for (const Segment& segment : segments(action)) append(sum, segment.cost, 1);
  return sum;
}

}  // namespace simtrain
