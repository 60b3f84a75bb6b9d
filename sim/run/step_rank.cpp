#include "sim/run/step_rank.h"

#include <algorithm>
#include <cmath>

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

int representative_of(const SimulatedStep& simulated, int rank) {
  return simulated.classes.step_representative[static_cast<std::size_t>(rank)];
}

/// Pieces are simulated on the first TP x CP group of a class; the others lie like it.
int piece_place(const SimulatedStep& simulated, int rank) {
  const std::vector<int>& pass = simulated.classes.pass;
  const auto first = std::find(pass.begin(), pass.end(), pass[static_cast<std::size_t>(rank)]);
  const std::vector<int> own = simulated.grid.group(GroupKind::replica, rank);
  const std::vector<int> there =
      simulated.grid.group(GroupKind::replica, static_cast<int>(first - pass.begin()));
  const auto place = std::find(own.begin(), own.end(), rank) - own.begin();
  return simulated.classes
      .piece_representative[static_cast<std::size_t>(there[static_cast<std::size_t>(place)])];
}

}  // namespace

StepRank::StepRank(const SimulatedStep& simulated, int rank)
    : simulated_(simulated),
      rank_(rank),
      stage_(simulated.grid.coordinates(rank).pp),
      representative_(representative_of(simulated, rank)),
      index_(index_of(simulated.plan, representative_)),
      program_(simulated.plan.programs[simulated.plan.ranks[index_].program]),
      spans_(simulated.timeline.spans[index_]),
      place_(piece_place(simulated, rank)),
      passes_(simulated.context(), simulated.costs_of(rank), stage_) {
  number_segments();
  if (simulated.scenario.recipe.overlap.overlap_moe_expert_parallel_comm) {
    pair_passes();
    add_up_pieces();
  }
}

void StepRank::pair_passes() {
  const PipelineShape shape =
      pipeline_shape(simulated_.scenario.recipe, simulated_.grid.micro_batches());
  for (const Task& task : PipelineStage(shape, stage_).tasks()) {
    if (task.beside >= 0) beside_[{task.phase, task.chunk, task.micro_batch}] = task.beside;
  }
}

void StepRank::add_up_pieces() {
  own_.assign(program_.ops.size(), Duration(0));
  for (std::uint32_t op = 0; op < program_.ops.size(); ++op) {
    const std::vector<PieceRun> runs = pieces(op);
    if (!runs.empty()) own_[op] = runs.back().end;
  }
}

/// Ops of one pass follow each other on the compute stream.
void StepRank::number_segments() {
  segments_.assign(program_.ops.size(), kWhole);
  std::uint32_t last = kNoOp;
  for (std::uint32_t op = 0; op < program_.ops.size(); ++op) {
    if (!program_.ops[op].compute || !is_pass(program_.ops[op])) continue;
    if (last != kNoOp && same_pass(program_.ops[last], program_.ops[op])) {
      segments_[last] = std::max(segments_[last], 0);
      segments_[op] = segments_[last] + 1;
    }
    last = op;
  }
}

/// Of the state of the cluster in which most of an op ran.
const SimulatedPieces& StepRank::pieces_in(std::uint32_t op) const {
  const std::vector<StateShare> shares = simulated_.states.of(index_, op);
  const auto most = std::max_element(
      shares.begin(), shares.end(),
      [](const StateShare& one, const StateShare& other) { return one.share < other.share; });
  return simulated_.pieces_of(rank_, most->state);
}

void StepRank::append_pieces(std::vector<PieceRun>& runs, const Stretch& stretch,
                             std::uint32_t op) const {
  const SimulatedPieces& simulated = pieces_in(op);
  std::vector<Piece> order = stretch.pieces;
  // Costs are added layer first; weights are cast and scales are made before it runs.
  if (program_.ops[op].label == Label::forward) std::reverse(order.begin(), order.end());
  for (const Piece& piece : order) {
    const Duration start = runs.empty() ? Duration(0) : runs.back().end;
    runs.push_back(
        {piece, &simulated[piece], stretch.layer, start, start + simulated[piece].cost.time});
  }
}

std::vector<Stretch> StepRank::stretches(std::uint32_t op_index) const {
  const Op& op = program_.ops[op_index];
  if (!op.compute) return {};
  if (op.label == Label::weight_gradient) {
    const int kept =
        simulated_.scenario.recipe.deferred_weight_gradients(simulated_.grid.micro_batches());
    return std::vector<Stretch>(static_cast<std::size_t>(kept),
                                {{{Part::head, Phase::weight_gradient}}});
  }
  if (!is_pass(op)) return {};
  Task task{phase_of(op.label), static_cast<int>(op.micro_batch), static_cast<int>(op.chunk)};
  const auto pair = beside_.find({task.phase, task.chunk, task.micro_batch});
  if (pair != beside_.end()) task.beside = pair->second;
  std::vector<Stretch> all = passes_.stretches(task);
  const int segment = segments_[op_index];
  if (segment == kWhole) return all;
  return {std::move(all[static_cast<std::size_t>(segment)])};
}

std::vector<PieceRun> StepRank::pieces(std::uint32_t op) const {
  std::vector<PieceRun> runs;
  for (const Stretch& stretch : stretches(op)) append_pieces(runs, stretch, op);
  return runs;
}

std::vector<PieceShare> StepRank::shares(std::uint32_t op) const {
  std::vector<PieceShare> result;
  const std::vector<Stretch> all = stretches(op);
  for (const StateShare& state : simulated_.states.of(index_, op)) {
    const SimulatedPieces& simulated = simulated_.pieces_of(rank_, state.state);
    for (const Stretch& stretch : all) {
      for (const Piece& piece : stretch.pieces) result.push_back({&simulated[piece], state.share});
      if (stretch.pair)
        result[result.size() - stretch.pieces.size()] = {
            &simulated[*stretch.pair], state.share * passes_.share_of_pair(stretch)};
    }
  }
  return result;
}

std::uint32_t StepRank::place_in(const SimulatedPiece& piece) const {
  return index_of(piece.plan, place_);
}

Duration StepRank::at(std::uint32_t op, Duration own) const {
  const Span& span = spans_[op];
  Duration alone = program_.compute_costs[program_.ops[op].cost].time;
  if (!own_.empty()) alone = std::max(alone, own_[op]);
  const Duration length = span.end - span.start;
  if (own >= alone) return span.end;
  const double scaled = static_cast<double>(own.count()) * static_cast<double>(length.count()) /
                        static_cast<double>(alone.count());
  return span.start + std::min(length, Duration(std::llround(scaled)));
}

}  // namespace simtrain
