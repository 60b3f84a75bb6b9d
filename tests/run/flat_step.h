#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "sim/run/step/simulated_step.h"
#include "sim/run/step/step_rank.h"
#include "sim/workload/plan/communicators/plan_groups.h"

namespace simtrain::testing {

/// A step on one level: the program of a rank with the kernels and transfers of its pieces in place
/// of its passes. A piece ends when all of its ops have; what it costs beyond them (stragglers) is
/// waited for at its end.
class FlatProgram {
 public:
  explicit FlatProgram(const StepRank& rank) : rank_(rank), old_(rank.program()) {}

  Program build() {
    for (std::uint32_t op = 0; op < old_.ops.size(); ++op) {
      const std::vector<PieceRun> pieces = rank_.pieces(op);
      ends_.push_back(pieces.empty() ? copy(op) : expand(op, pieces));
    }
    return std::move(program_);
  }

 private:
  std::uint32_t copy(std::uint32_t index) {
    Op op = moved(old_.ops[index], ends_);
    op.cost = op.compute ? program_.add_cost(old_.compute_costs[op.cost])
                         : program_.add_transfer(old_.transfers[op.cost]);
    if (op.compute) op.group = GroupKind::self;
    return program_.add(op);
  }

  static Op moved(Op op, const std::vector<std::uint32_t>& ends) {
    for (std::uint32_t& after : op.after) {
      if (after != kNoOp) after = ends[after];
    }
    return op;
  }

  /// Nothing but a place in the compute stream.
  std::uint32_t wait(const Op& like, Duration time, const std::array<std::uint32_t, 4>& after) {
    Op op = like;
    op.group = GroupKind::self;
    ComputeCost cost;
    cost.time = time;
    op.cost = program_.add_cost(cost);
    op.after = after;
    return program_.add(op);
  }

  std::uint32_t expand(std::uint32_t index, const std::vector<PieceRun>& pieces) {
    const Op pass = moved(old_.ops[index], ends_);
    Duration left = old_.compute_costs[pass.cost].time;
    std::uint32_t last = wait(pass, Duration(0), pass.after);
    for (const PieceRun& run : pieces) {
      const SimulatedPiece& piece = rank_.simulated(run.piece);
      last = inlined(piece, pass, last);
      left -= piece.cost.time;
    }
    return wait(pass, std::max(Duration(0), left), {last, kNoOp, kNoOp, kNoOp});
  }

  std::uint32_t inlined(const SimulatedPiece& piece, const Op& pass, std::uint32_t begin) {
    const SimulatedRank& simulated = piece.plan.ranks[rank_.place_in(piece)];
    const Program& kernels = piece.plan.programs[simulated.program];
    std::vector<std::uint32_t> places;
    std::array<std::uint32_t, kStreams> last{};
    last.fill(kNoOp);
    for (const Op& old : kernels.ops) {
      Op op = moved(old, places);
      const bool free = std::all_of(op.after.begin(), op.after.end(),
                                    [](std::uint32_t after) { return after == kNoOp; });
      if (free && !op.compute) op.after[0] = begin;
      op.cost = op.compute ? program_.add_cost(kernels.compute_costs[op.cost])
                           : program_.add_transfer(kernels.transfers[op.cost]);
      places.push_back(program_.add(op));
      last[static_cast<std::size_t>(op.stream)] = places.back();
    }
    std::array<std::uint32_t, 4> after{kNoOp, kNoOp, kNoOp, kNoOp};
    after[0] = last[static_cast<std::size_t>(Stream::tensor)];
    after[1] = last[static_cast<std::size_t>(Stream::context)];
    return wait(pass, piece.cost.time - piece.timeline.end, after);
  }

  const StepRank& rank_;
  const Program& old_;
  Program program_;
  std::vector<std::uint32_t> ends_;  ///< by op of the old program, the one that ends it
};

/// The plan of the same step with every rank and every kernel in it; `step` is unfolded.
inline Plan flat_plan(const SimulatedStep& step) {
  Plan plan;
  plan.sm_count = step.plan.sm_count;
  plan.memory_bandwidth = step.plan.memory_bandwidth;
  plan.overlap_slowdown = step.plan.overlap_slowdown;
  for (const SimulatedRank& rank : step.plan.ranks)
    plan.programs.push_back(FlatProgram(StepRank(step, rank.rank)).build());
  std::vector<int> everyone(static_cast<std::size_t>(step.grid.ranks()));
  std::iota(everyone.begin(), everyone.end(), 0);
  const JobContext context = step.context();
  PlanGroups(context, plan, calls_of(plan.programs), everyone, everyone).add_ranks(everyone);
  for (std::size_t i = 0; i < plan.ranks.size(); ++i)
    plan.ranks[i].program = static_cast<std::uint32_t>(i);
  return plan;
}

}  // namespace simtrain::testing
