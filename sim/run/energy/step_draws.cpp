#include "sim/run/energy/step_draws.h"

namespace simtrain {
namespace {

struct KindOfKernel {
  DrawKind operator()(const Gemm& gemm) const {
    return static_cast<DrawKind>(gemm.type == DataType::tf32 ? DataType::fp32 : gemm.type);
  }
  DrawKind operator()(const Attention& /*attention*/) const { return DrawKind::attention; }
  DrawKind operator()(const Streaming& streaming) const {
    return streaming.launches == 0 ? DrawKind::idle : DrawKind::memory_bound;
  }
};
static_assert(static_cast<int>(DrawKind::gemm_bf16) == static_cast<int>(DataType::bf16));
static_assert(static_cast<int>(DrawKind::gemm_fp32) == static_cast<int>(DataType::fp32));

ByDrawKind kernel_watts(const GpuDraw& draw, const Program& program, std::uint32_t op) {
  const std::optional<Kernel>& kernel = program.notes[op].kernel;
  const DrawKind kind = kernel ? std::visit(KindOfKernel{}, *kernel) : DrawKind::memory_bound;
  ByDrawKind watts{};
  of(watts, kind) = kind == DrawKind::idle
                        ? draw.idle()
                        : draw.kernel(program.compute_costs[program.ops[op].cost]);
  return watts;
}

}  // namespace

PieceEnergy piece_energy(const GpuDraw& draw, const SimulatedPiece& piece, std::uint32_t place) {
  const Program& program = piece.plan.programs[piece.plan.ranks[place].program];
  std::vector<ByDrawKind> by_cost(program.compute_costs.size());
  for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
    if (program.ops[op].compute) by_cost[program.ops[op].cost] = kernel_watts(draw, program, op);
  }
  PieceEnergy energy{{}, piece.timeline.end};
  walk_draws(program, piece.timeline.spans[place], piece.timeline.end,
             [&](const Span& span, const DrawState& state) {
               const ByDrawKind alone = state.cost == kNoOp ? ByDrawKind{} : by_cost[state.cost];
               add(energy.joules, state_watts(draw, alone, state),
                   to_seconds(span.end - span.start));
             });
  return energy;
}

/// Ops of one cost draw alike: those of one phase, chunk and kind.
StepDraws::StepDraws(const SimulatedStep& simulated, const StepRank& rank)
    : simulated_(simulated),
      rank_(rank),
      draw_(simulated.cluster.spec().gpu.power, simulated.clock) {
  const Program& program = rank.program();
  const std::size_t costs = program.compute_costs.size();
  watts_.resize(2 * (costs + 1));
  std::vector<bool> known(costs, false);
  const auto put = [&](const ByDrawKind& alone, std::uint32_t cost) {
    for (const bool moving : {false, true})
      watts_[number_of({cost, moving})] = state_watts(draw_, alone, {cost, moving});
  };
  put({}, kNoOp);
  for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
    const std::uint32_t cost = program.ops[op].cost;
    if (!program.ops[op].compute || known[cost]) continue;
    known[cost] = true;
    const ComputeCost& own = program.compute_costs[cost];
    if (own.time <= Duration{}) continue;
    const std::vector<PieceRun> runs = rank.pieces(op);
    put(runs.empty() ? of_end(own) : of_pieces(own, runs), cost);
  }
  sums_.reserve(watts_.size());
  for (const ByDrawKind& watts : watts_) sums_.push_back(sum_of(watts));
}

/// What a pass takes beyond its pieces it waits.
ByDrawKind StepDraws::of_pieces(const ComputeCost& cost, const std::vector<PieceRun>& runs) {
  ByDrawKind watts{};
  Duration busy{};
  for (const PieceRun& run : runs) {
    const SimulatedPiece& piece = *run.simulated;
    const auto [entry, fresh] = of_piece_.try_emplace(&piece);
    if (fresh) entry->second = piece_energy(draw_, piece, rank_.place_in(piece));
    add(watts, entry->second.joules, 1 / to_seconds(cost.time));
    busy += entry->second.time;
  }
  const double waits = std::max(0.0, 1 - to_seconds(busy) / to_seconds(cost.time));
  of(watts, DrawKind::idle) += draw_.idle() * waits;
  const double sum = sum_of(watts);
  if (sum > draw_.limit()) {
    for (double& each : watts) each *= draw_.limit() / sum;
  }
  return watts;
}

/// Of the optimizer, norms and copies, which move memory, and of waits among them.
ByDrawKind StepDraws::of_end(const ComputeCost& cost) const {
  const double waits = part(cost.parts, Share::host) + part(cost.parts, Share::stragglers);
  const double share = std::min(1.0, waits / to_seconds(cost.time));
  ByDrawKind watts{};
  of(watts, DrawKind::idle) = draw_.idle() * share;
  of(watts, DrawKind::memory_bound) = draw_.streaming() * (1 - share);
  return watts;
}

}  // namespace simtrain
