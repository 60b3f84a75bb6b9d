#include "sim/workload/model/layers/exchange_overlap.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace simtrain {
namespace {

/// The stretches of a layer's pass: what runs before its first exchange of tokens, the exchange,
/// what runs up to the second one, that, and the rest.
enum ProgramStretch : std::uint8_t { before, first_exchange, experts, second_exchange, rest };
constexpr std::size_t kStretches = 5;

/// How modules are named, of an MLP its norm.
constexpr std::string_view kFeedForward = "pre_mlp_layernorm";
constexpr std::string_view kExperts = "experts_";
constexpr std::string_view kShared = "shared_experts_";
constexpr std::string_view kSecondShared = "shared_experts_fc2";

/// A pass of a layer cut into its stretches, by the place of each one's first op.
struct CutPass {
  Program program;
  std::array<std::size_t, kStretches + 1> begin{};
  std::vector<std::uint32_t> places{};  ///< by op: in the program that takes them
  std::uint32_t micro_batch = 0;
};

bool exchanges(const Recipe& recipe, const Program& program, std::size_t op) {
  const bool flex = recipe.moe.moe_token_dispatcher_type == TokenDispatcher::flex;
  const GroupKind group = flex ? GroupKind::expert_tokens : GroupKind::expert;
  return !program.ops[op].compute && program.ops[op].group == group &&
         (flex || program.transfers[program.ops[op].cost].collective == Collective::all_to_all);
}

bool holds_exchange(const CutPass& pass) {
  return pass.begin[first_exchange] < pass.program.ops.size();
}

/// A layer without experts has its feed-forward where others have theirs.
void cut_dense(CutPass& pass, bool forward) {
  const auto& notes = pass.program.notes;
  const auto is_norm = [](const OpNote& note) { return note.module == kFeedForward; };
  const auto norm = std::find_if(notes.begin(), notes.end(), is_norm);
  const auto first = static_cast<std::size_t>(norm - notes.begin());
  if (forward) {
    pass.begin = {0, first, first, notes.size(), notes.size(), notes.size()};
    return;
  }
  const auto last = std::find_if(notes.rbegin(), notes.rend(), is_norm);
  const auto behind = static_cast<std::size_t>(notes.rend() - last);
  pass.begin = {0, 0, 0, behind, behind, notes.size()};
}

CutPass pass_of(Program program) {
  CutPass pass{std::move(program)};
  pass.begin.fill(pass.program.ops.size());
  pass.begin[before] = 0;
  pass.places.assign(pass.program.ops.size(), kNoOp);
  return pass;
}

/// A forward, or a backward with or without its weight gradients.
CutPass cut(const Recipe& recipe, Program program) {
  CutPass pass = pass_of(std::move(program));
  std::size_t stretch = before;
  for (std::size_t op = 0; op < pass.program.ops.size() && stretch < rest; ++op) {
    const bool within = stretch == first_exchange || stretch == second_exchange;
    if (exchanges(recipe, pass.program, op) != within) pass.begin[++stretch] = op;
  }
  return pass;
}

CutPass cut(const PieceContext& context, const Piece& piece) {
  CutPass pass = cut(context.recipe, piece_program(context, piece));
  const bool forward = piece.phase == Phase::forward;
  pass.micro_batch = forward ? 1 : 0;
  if (!holds_exchange(pass)) cut_dense(pass, forward);
  return pass;
}

/// Weight gradients of experts (`before`), then all others.
CutPass cut_weight_gradients(const PieceContext& context, int kind) {
  CutPass pass = pass_of(piece_program(context, {Part::layer, Phase::weight_gradient, kind}));
  const auto& notes = pass.program.notes;
  const auto other = std::find_if(notes.begin(), notes.end(), [](const OpNote& note) {
    return !note.module.starts_with(kExperts);
  });
  std::fill(pass.begin.begin() + first_exchange, pass.begin.begin() + rest + 1,
            static_cast<std::size_t>(other - notes.begin()));
  return pass;
}

/// Appends an op of a pass, with what it waits for.
void take_op(Program& both, CutPass& pass, std::size_t place) {
  Op op = pass.program.ops[place];
  op.micro_batch = pass.micro_batch;
  for (std::uint32_t& after : op.after) {
    if (after != kNoOp) after = pass.places[after];
  }
  op.cost = op.compute ? both.add_cost(pass.program.compute_costs[op.cost])
                       : both.add_transfer(pass.program.transfers[op.cost]);
  pass.places[place] = both.add(op);
  both.notes.push_back(pass.program.notes[place]);
}

void take(Program& both, CutPass& pass, ProgramStretch stretch) {
  const bool exchange = stretch == first_exchange || stretch == second_exchange;
  for (std::size_t i = pass.begin[stretch]; i < pass.begin[stretch + 1]; ++i) {
    take_op(both, pass, i);
    if (exchange) both.ops.back().stream = Stream::expert;
  }
}

/// Those of shared experts whose modules these are, wherever they are.
template <class IsOne>
void take_shared(Program& both, CutPass& pass, IsOne is_one) {
  for (std::size_t i = 0; i < pass.program.ops.size(); ++i) {
    const std::string_view module = pass.program.notes[i].module;
    if (module.starts_with(kShared) && is_one(module)) take_op(both, pass, i);
  }
}

void take_others(Program& both, CutPass& pass, ProgramStretch stretch) {
  for (std::size_t i = pass.begin[stretch]; i < pass.begin[stretch + 1]; ++i) {
    if (!pass.program.notes[i].module.starts_with(kShared)) take_op(both, pass, i);
  }
}

}  // namespace

Program paired_program(const PieceContext& context, const Piece& pair) {
  const bool delayed = context.recipe.overlap.delay_wgrad_compute;
  CutPass forward = cut(context, {Part::layer, Phase::forward, pair.kind});
  CutPass backward = cut(context, {Part::layer, delayed ? Phase::input_gradient : Phase::backward,
                                   pair.backward_kind});
  CutPass gradients;
  if (delayed) gradients = cut_weight_gradients(context, pair.backward_kind);
  Program both;
  take(both, backward, before);
  take(both, backward, first_exchange);
  take(both, forward, before);
  take(both, backward, experts);
  take(both, forward, first_exchange);
  take(both, gradients, before);
  take(both, backward, second_exchange);
  take(both, forward, experts);
  take(both, forward, second_exchange);
  take(both, backward, rest);
  take(both, forward, rest);
  take(both, gradients, rest);
  return both;
}

Program with_shared_experts_beside(const Recipe& recipe, Program program) {
  CutPass pass = cut(recipe, std::move(program));
  if (!holds_exchange(pass)) return std::move(pass.program);
  const auto second = [](std::string_view module) { return module == kSecondShared; };
  // A forward comes to the first products before its first exchange, a backward after both.
  const auto& notes = pass.program.notes;
  const auto shared = std::find_if(notes.begin(), notes.end(), [](const OpNote& note) {
    return note.module.starts_with(kShared);
  });
  const bool forward = static_cast<std::size_t>(shared - notes.begin()) < pass.begin[experts];
  Program result;
  take_others(result, pass, before);
  take_others(result, pass, first_exchange);
  take_shared(result, pass, [&](std::string_view module) { return second(module) != forward; });
  take_others(result, pass, experts);
  take_others(result, pass, second_exchange);
  take_shared(result, pass, [&](std::string_view module) { return second(module) == forward; });
  take_others(result, pass, rest);
  return result;
}

}  // namespace simtrain
