#include "sim/workload/plan/stage_passes.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "sim/workload/model/layers/piece_program.h"
#include "sim/workload/model/sharding.h"
#include "sim/workload/plan/stragglers.h"

namespace simtrain {
namespace {

bool defers(const Recipe& recipe, const Task& action) {
  return action.phase == Phase::backward && recipe.defers_weight_gradient(action.micro_batch);
}

/// What StagePasses::differs() says.
bool differs_from_siblings(const Recipe& recipe, const Task& action) {
  return action.forward() ? action.micro_batch == 0 : defers(recipe, action);
}

Piece head_piece(const Recipe& recipe, const Task& action) {
  return {Part::head, defers(recipe, action) ? Phase::input_gradient : action.phase};
}

/// Of a schedule that cuts backwards, or combines passes: by its tasks.
std::vector<CountedPass> counted_tasks(const Recipe& recipe, const PipelineStage& pipeline) {
  std::map<std::tuple<int, Phase, bool, int>, CountedPass> passes;
  for (const Task& task : pipeline.tasks()) {
    const bool like = !differs_from_siblings(recipe, task);
    CountedPass& pass = passes[{task.chunk, task.phase, like, task.beside}];
    if (pass.times++ == 0) pass.action = task;
  }
  std::vector<CountedPass> result;
  result.reserve(passes.size());
  for (const auto& entry : passes) result.push_back(entry.second);
  return result;
}

/// What the `layer`-th layer of a pass in a combined pair runs in. Layers of the forward, from the
/// first on, meet those of the backward, from the last; of the longer pass some are left over.
std::optional<Piece> pair_of(const LayerList& layers, const std::vector<ChunkLayout>& chunks,
                             const Task& action, int layer) {
  if (action.beside < 0) return {};
  const ChunkLayout& own = chunks[static_cast<std::size_t>(action.chunk)];
  const ChunkLayout& other = chunks[static_cast<std::size_t>(action.beside)];
  const int place = (action.forward() ? other : own).layers - 1 - layer;
  if (place < 0 || place >= other.layers) return {};
  const int kind = layers.kind_of(own.first_layer + layer);
  const int beside = layers.kind_of(other.first_layer + place);
  if (action.forward()) return Piece{Part::layer_pair, Phase::backward, kind, beside};
  return Piece{Part::layer_pair, Phase::backward, beside, kind};
}

/// To the stage `step` on.
TransferCost message(const JobContext& context, int rank, int step, Bytes bytes) {
  const Distance distance = context.cluster.distance(
      context.placement.gpu(rank), context.placement.gpu(context.grid.stage_neighbour(rank, step)));
  return plan_send_receive(bytes, distance,
                           {context.cluster.spec(), context.recipe.software.library});
}

}  // namespace

std::vector<Stretch> stretches_of(const Recipe& recipe, const LayerList& layers,
                                  const std::vector<ChunkLayout>& chunks, const Task& action) {
  const ChunkLayout& chunk = chunks[static_cast<std::size_t>(action.chunk)];
  const bool forward = action.forward();
  const Phase phase = action.phase;
  const bool gradients = phase == Phase::weight_gradient;  // alone
  const PrecisionRow& precision = recipe.precision();
  const bool fresh = action.micro_batch == 0 || precision.layers.weight.recast.has_value() ||
                     (sharding_of(recipe).units && gathered_until(recipe) != Gathered::step);
  const bool casts = forward && fresh && precision.quantized() &&
                     (!recipe.training.fp8_params || precision.gathered_parameters);
  std::vector<Stretch> result;
  result.reserve(static_cast<std::size_t>(chunk.layers) + 2);
  if (chunk.embedding && !gradients) result.push_back({{{Part::embedding, phase}}});
  for (int layer = 0; layer < chunk.layers; ++layer) {
    const int number = chunk.first_layer + layer;
    const int kind = layers.kind_of(number);
    Stretch stretch{{{Part::layer, phase, kind}}, number, pair_of(layers, chunks, action, layer)};
    if (casts && !layers.kinds()[static_cast<std::size_t>(kind)].high)
      stretch.pieces.push_back({Part::layer, Phase::weight_cast, kind});
    if (layer == 0 && precision.delayed_scaling && !gradients)
      stretch.pieces.push_back({Part::amax});
    result.push_back(std::move(stretch));
  }
  if (chunk.head) result.push_back({{head_piece(recipe, action)}});
  if (!forward) std::reverse(result.begin(), result.end());
  return result;
}

std::vector<CountedPass> counted_passes(const Recipe& recipe, int stage, int micro_batches) {
  const PipelineShape shape = pipeline_shape(recipe, micro_batches);
  if (schedule_of(shape).cuts_backward || shape.combined)
    return counted_tasks(recipe, PipelineStage(shape, stage));
  const int deferred = recipe.deferred_weight_gradients(micro_batches);
  std::vector<CountedPass> passes;
  const auto add = [&](const Task& action, int times) {
    if (times > 0) passes.push_back({action, times});
  };
  for (int chunk = 0; chunk < recipe.vp(); ++chunk) {
    add({Phase::forward, 0, chunk}, 1);
    add({Phase::forward, 1, chunk}, micro_batches - 1);
    add({Phase::backward, 0, chunk}, deferred);
    add({Phase::backward, deferred, chunk}, micro_batches - deferred);
  }
  return passes;
}

std::vector<Piece> pieces_of(const Recipe& recipe) {
  return pieces_of(recipe, schedule_of(pipeline_shape(recipe, 1)).cuts_backward);
}

Label label_of(Phase phase) {
  switch (phase) {
    case Phase::forward:
      return Label::forward;
    case Phase::input_gradient:
      return Label::input_gradient;
    case Phase::weight_gradient:
      return Label::cut_weight_gradient;
    case Phase::backward:
    case Phase::weight_cast:
      break;
  }
  return Label::backward;
}

Phase phase_of(Label pass) {
  for (const Phase phase : {Phase::forward, Phase::input_gradient, Phase::weight_gradient}) {
    if (label_of(phase) == pass) return phase;
  }
  return Phase::backward;
}

ByPiece<std::int64_t> piece_counts(const Recipe& recipe, int stage, int micro_batches) {
  const LayerList layers = layers_of(recipe);
  ByPiece<std::int64_t> counts(static_cast<int>(layers.kinds().size()));
  const std::vector<ChunkLayout> chunks = stage_chunks(recipe, stage);
  for (const CountedPass& pass : counted_passes(recipe, stage, micro_batches)) {
    for (const Stretch& stretch : stretches_of(recipe, layers, chunks, pass.action)) {
      for (const Piece& piece : stretch.pieces) counts[piece] += pass.times;
      if (!stretch.pair) continue;
      counts[stretch.pieces.front()] -= pass.times;
      if (pass.action.forward()) counts[*stretch.pair] += pass.times;
    }
  }
  if (chunks.back().head)
    counts[{Part::head, Phase::weight_gradient}] += recipe.deferred_weight_gradients(micro_batches);
  return counts;
}

TransferCost stage_message(const JobContext& context, int rank, int step) {
  const Recipe& recipe = context.recipe;
  const bool gathers =
      recipe.tp() > 1 && !recipe.parallelism.sequence_parallel && recipe.software.splits_messages();
  const int split = recipe.parallelism.sequence_parallel || gathers ? recipe.tp() : 1;
  const std::int64_t whole =
      recipe.precision().activation.bytes_for(recipe.tokens() * recipe.model.hidden_size);
  TransferCost cost = message(context, rank, step, Bytes(whole / split));
  if (gathers) {
    cost.latency += plan_collective({Collective::all_gather, Bytes(whole),
                                     context.layout(GroupKind::tensor, rank)},
                                    {context.cluster.spec(), recipe.software.library})
                        .alone();
  }
  return cost;
}

TransferCost table_message(const JobContext& context, int rank, int step) {
  const Recipe& recipe = context.recipe;
  const std::int64_t table = recipe.model.vocab_size / recipe.tp() * recipe.model.hidden_size;
  return message(context, rank, step, Bytes(table * bytes_of(recipe.optimizer.grad_reduce_dtype)));
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

void append(PieceCost& sum, const PieceCost& piece, int times) {
  append(static_cast<ComputeCost&>(sum), piece, times);
  for (std::size_t i = 0; i < sum.inner.size(); ++i) {
    InnerTraffic added;
    added.add(piece.inner[i], times);
    const bool more = added.moving_s > sum.inner[i].moving_s;  // counts as its call
    if (more) std::swap(added, sum.inner[i]);
    sum.inner[i].add(added, 1);
  }
}

PieceCost part_of(const PieceCost& piece, double share) {
  PieceCost part = piece;
  part.time = to_duration(to_seconds(piece.time) * share);
  for (double& seconds : part.parts) seconds *= share;
  part.inner = {};
  for (std::size_t i = 0; i < part.inner.size(); ++i) part.inner[i].add(piece.inner[i], share);
  return part;
}

ComputeCost passes_of(const Program& program) {
  ComputeCost passes;
  for (const Op& op : program.ops) {
    if (is_pass(op)) append(passes, program.compute_costs[op.cost], 1);
  }
  return passes;
}

bool StagePasses::differs(const Task& action) const {
  return differs_from_siblings(recipe_, action);
}

/// FP8 amax values are reduced once a pass: there all replicas meet that share them.
ComputeCost StagePasses::wait_for_replicas(const ComputeCost& pass) const {
  return straggler_wait(power_, pass, met_, pass_ranks_);
}

double StagePasses::share_of_pair(const Stretch& stretch) const {
  const Piece& pair = *stretch.pair;
  const double forward = to_seconds(piece({Part::layer, Phase::forward, pair.kind}).time);
  const double backward =
      to_seconds(piece({Part::layer, Phase::backward, pair.backward_kind}).time);
  const double own = to_seconds(piece(stretch.pieces.front()).time);
  return forward + backward > 0 ? own / (forward + backward) : 0;
}

template <class Cost>
Cost StagePasses::cost_of(const Stretch& stretch) const {
  Cost cost = stretch.pair ? part_of(piece(*stretch.pair), share_of_pair(stretch))
                           : piece(stretch.pieces.front());
  for (std::size_t i = 1; i < stretch.pieces.size(); ++i)
    append(cost, static_cast<const Cost&>(piece(stretch.pieces[i])), 1);
  return cost;
}

template <class Cost>
std::vector<Cost> StagePasses::costs_of(const std::vector<Stretch>& held, Phase phase) const {
  std::vector<Cost> costs;
  costs.reserve(std::max<std::size_t>(1, held.size()));
  ComputeCost pass;
  for (const Stretch& stretch : held) {
    costs.push_back(cost_of<Cost>(stretch));
    append(pass, static_cast<const ComputeCost&>(costs.back()), 1);
  }
  if (costs.empty()) costs.emplace_back();  // a chunk that holds nothing hands on what it gets
  if (phase != Phase::weight_gradient) append(costs.back(), wait_for_replicas(pass), 1);
  return costs;
}

std::vector<Segment> StagePasses::segments(const Task& action) const {
  const ChunkLayout& chunk = chunks_[static_cast<std::size_t>(action.chunk)];
  std::int64_t trained = 0;
  for (const GroupKind group : kGradientGroups)
    trained += trained_parameters(totals_, chunk, group);
  const auto total = static_cast<double>(std::max<std::int64_t>(1, trained));
  const std::vector<Stretch> held = stretches(action);
  const std::vector<PieceCost> costs = costs_of<PieceCost>(held, action.phase);
  std::vector<Segment> result;
  result.reserve(costs.size());
  for (const PieceCost& cost : costs) result.push_back({cost});
  std::int64_t done = 0;
  for (std::size_t i = 0; i < held.size(); ++i) {
    // Of the head its matrix; the final norm counts with the end of the pass.
    done +=
        trained_parameters(held[i].layer < 0 ? totals_.embedding() : totals_.layer(held[i].layer));
    result[i].parameters_done = std::min(1.0, static_cast<double>(done) / total);
  }
  result.back().parameters_done = 1;
  return result;
}

template <class Cost>
Cost StagePasses::sum_of(const Task& action) const {
  Cost sum;
  for (const Cost& cost : costs_of<Cost>(stretches(action), action.phase)) append(sum, cost, 1);
  return sum;
}

PieceCost StagePasses::whole(const Task& action) const { return sum_of<PieceCost>(action); }
ComputeCost StagePasses::computed(const Task& action) const { return sum_of<ComputeCost>(action); }

}  // namespace simtrain
