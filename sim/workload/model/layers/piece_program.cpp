#include "sim/workload/model/layers/piece_program.h"

#include <algorithm>

#include "sim/workload/model/casts.h"
#include "sim/workload/model/layers/exchange_overlap.h"
#include "sim/workload/model/layers/model_parts.h"
#include "sim/workload/model/operators/recompute_policy.h"
#include "sim/workload/model/program_builder.h"

namespace simtrain {
namespace {

/// The program of one part of a model: blocks one after the other.
class PartProgram {
 public:
  PartProgram(const PieceContext& context, Part part, int kind)
      : builder_(context),
        recipe_(context.recipe),
        shape_(context.recipe),
        layers_(layers_of(recipe_)),
        blocks_(blocks_of(recipe_, layers_, part, kind)),
        recomputes_all_(part == Part::layer &&
                        recomputes_layer(recipe_, layers_.kinds()[static_cast<std::size_t>(kind)])),
        by_policy_(part == Part::layer && recipe_.keeps_by_policy()) {}

  Program forward() {
    run_forward();
    return arranged(builder_.take());
  }

  Program backward(BackwardPart part) {
    if ((recomputes_all_ || by_policy_) && part != BackwardPart::weight_gradient) run_again();
    std::for_each(blocks_.rbegin(), blocks_.rend(),
                  [&](const Block& block) { backward(block, part); });
    return arranged(builder_.take());
  }

 private:
  [[nodiscard]] Program arranged(Program program) const {
    if (!recipe_.moe.moe_shared_expert_overlap) return program;
    return with_shared_experts_beside(recipe_, std::move(program));
  }

  void run_forward() {
    for (const Block& block : blocks_) {
      for (const Operator& op : block.branch) forward(op);
      if (block.residual) forward(*block.residual);
    }
  }

  /// What a backward runs again of an operator before it begins; null: nothing.
  [[nodiscard]] const Forward* again(const Operator& op) const {
    return recomputes_all_ ? &op.forward : dropped_by_policy(op, recipe_.recompute);
  }

  /// What was not kept of a layer, in the order of the forward.
  void run_again() {
    const std::vector<const Operator*> operators =
        recomputed_operators(blocks_, recipe_.software.stops_recompute_early());
    cast_weights(operators);
    for (const Operator* op : operators) {
      builder_.module(op->module, op->sized_by_routing);
      if (const Forward* run = again(*op)) (*run)(builder_);
    }
    builder_.wait_for(kNoOp);  // nobody reads what comes out
  }

  /// Of what runs again, where nothing keeps the copies of the first forward.
  void cast_weights(const std::vector<const Operator*>& operators) {
    const Operand& weight = recipe_.precision().layers.weight;
    if (!weight.recast) return;
    double cast = 0;
    for (const Operator* op : operators) {
      const Forward* run = again(*op);
      const double share = run == nullptr ? 0 : run == &op->forward ? 1 : op->partly_again->share;
      cast += share * static_cast<double>(quantized_elements(*op));
    }
    if (cast == 0) return;
    builder_.module("weights");
    quantize(builder_, weight, cast);
  }

  void forward(const Operator& op) {
    builder_.module(op.module, op.sized_by_routing);
    op.forward(builder_);
  }

  void backward(const Operator& op, BackwardPart part) {
    if (part != BackwardPart::weight_gradient && recomputes(op, RecomputedAt::own_backward))
      forward(op);
    builder_.module(op.module, op.sized_by_routing);
    op.backward(builder_, part);
  }

  void backward(const Block& block, BackwardPart part) {
    if (part != BackwardPart::weight_gradient) recompute(block);
    if (block.residual) backward(*block.residual, part);
    std::for_each(block.branch.rbegin(), block.branch.rend(),
                  [&](const Operator& op) { backward(op, part); });
    if (block.residual && block.needs_input_gradient && part != BackwardPart::weight_gradient)
      join_gradients(builder_, shape_);
  }

  /// What was dropped of a block, before its backward.
  void recompute(const Block& block) {
    const bool whole = block.recompute && recipe_.recomputes(*block.recompute);
    for (const Operator& op : block.branch) {
      if (whole || recomputes(op, RecomputedAt::block_backward)) forward(op);
    }
    if (whole) builder_.wait_for(kNoOp);  // nobody reads its output
  }

  [[nodiscard]] bool recomputes(const Operator& op, RecomputedAt at) const {
    return op.recompute && op.recomputed_at == at && recipe_.recomputes(*op.recompute);
  }

  ProgramBuilder builder_;
  const Recipe& recipe_;
  RankShape shape_;
  LayerList layers_;
  std::vector<Block> blocks_;
  bool recomputes_all_;
  bool by_policy_;
};

/// Quantized copies of a layer's weights.
Program weight_cast(const PieceContext& context, int kind) {
  const auto weights =
      static_cast<double>(part_totals(context.recipe, Part::layer, kind).quantized_parameters);
  ProgramBuilder builder(context);
  builder.module("weights");
  quantize(builder, context.recipe.precision().layers.weight, weights);
  return builder.take();
}

/// The amax values of all quantized tensors of a chunk of mean size are reduced in one small
/// all-reduce, then one kernel turns their histories into scales.
Program amax(const PieceContext& context, const DelayedScaling& scaling) {
  const Recipe& recipe = context.recipe;
  std::int64_t modules = 0;
  const LayerList list = layers_of(recipe);
  for (std::size_t kind = 0; kind < list.kinds().size(); ++kind) {
    const PartTotals totals = part_totals(recipe, list, Part::layer, static_cast<int>(kind));
    modules += std::int64_t{list.kinds()[kind].layers} * totals.quantized_modules;
  }
  const std::int64_t layers = std::max(1, recipe.model.num_layers / (recipe.pp() * recipe.vp()));
  const std::int64_t tensors =
      scaling.tensors_of_a_module * layers * modules / recipe.model.num_layers;
  ProgramBuilder builder(context);
  builder.module("amax");
  std::uint32_t reduced = kNoOp;
  if (context.layouts.of(scaling.reduced_over).ranks > 1) {
    reduced = builder.collective(scaling.reduced_over, Collective::all_reduce, scaling.values,
                                 tensors, kNoOp);
  }
  const double histories = 2.0 * scaling.history * scaling.values.bytes();
  builder.stream_bytes(StreamingKind::element_wise, histories * static_cast<double>(tensors),
                       Share::fp8, reduced);
  return builder.take();
}

/// Whether a recipe's passes run a phase of a part; `high`: of a layer that is.
bool runs(const Recipe& recipe, Part part, Phase phase, bool high, bool cut_backward) {
  switch (phase) {
    case Phase::forward:
    case Phase::backward:
      return true;
    case Phase::input_gradient:
    case Phase::weight_gradient:
      if (cut_backward) return part != Part::embedding || phase == Phase::input_gradient;
      return part == Part::head && recipe.overlap.defer_embedding_wgrad_compute;
    case Phase::weight_cast:
      return part == Part::layer && recipe.precision().quantized() && !high;
  }
  return false;
}

}  // namespace

std::vector<Piece> pieces_of(const Recipe& recipe, bool cut_backward) {
  constexpr std::array kPhases{Phase::forward, Phase::backward, Phase::input_gradient,
                               Phase::weight_gradient};
  const LayerList list = layers_of(recipe);
  const auto kinds = static_cast<int>(list.kinds().size());
  std::vector<Piece> pieces;
  const auto add = [&](Part part, Phase phase, int kind) {
    const bool high = list.kinds()[static_cast<std::size_t>(kind)].high;
    if (runs(recipe, part, phase, high, cut_backward)) pieces.push_back({part, phase, kind});
  };
  for (int kind = 0; kind < kinds; ++kind) {
    for (const Phase phase : kPhases) add(Part::layer, phase, kind);
  }
  for (const Part edge : {Part::embedding, Part::head}) {
    for (const Phase phase : kPhases) add(edge, phase, 0);
  }
  for (int kind = 0; kind < kinds; ++kind) add(Part::layer, Phase::weight_cast, kind);
  for (int pair = 0; recipe.overlap.overlap_moe_expert_parallel_comm && pair < kinds * kinds;
       ++pair)
    pieces.push_back({Part::layer_pair, Phase::backward, pair / kinds, pair % kinds});
  if (recipe.precision().delayed_scaling) pieces.push_back({Part::amax});
  return pieces;
}

Program piece_program(const PieceContext& context, const Piece& piece) {
  if (piece.part == Part::amax) return amax(context, *context.recipe.precision().delayed_scaling);
  if (piece.part == Part::layer_pair) return paired_program(context, piece);
  switch (piece.phase) {
    case Phase::forward:
      return PartProgram(context, piece.part, piece.kind).forward();
    case Phase::backward:
      return PartProgram(context, piece.part, piece.kind).backward(BackwardPart::whole);
    case Phase::input_gradient:
      return PartProgram(context, piece.part, piece.kind).backward(BackwardPart::input_gradient);
    case Phase::weight_gradient:
      return PartProgram(context, piece.part, piece.kind).backward(BackwardPart::weight_gradient);
    case Phase::weight_cast:
      return weight_cast(context, piece.kind);
  }
  return {};
}

}  // namespace simtrain
