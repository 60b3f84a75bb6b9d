#include "sim/workload/plan/program/step_plan.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "sim/core/threads/parallel_each.h"
#include "sim/workload/plan/communicators/inner_flows.h"
#include "sim/workload/plan/communicators/plan_groups.h"
#include "sim/workload/plan/program/stage_program.h"

namespace simtrain {
namespace {

Plan empty_plan(const JobContext& context) {
  Plan plan;
  plan.sm_count = context.cluster.spec().gpu.sm_count.value;
  plan.overlap_slowdown = context.cluster.spec().gpu.gemm.overlap_slowdown.value;
  plan.memory_bandwidth = context.cluster.spec().gpu.memory_bandwidth.value.value();
  return plan;
}

/// By place, the number of what the programs of a rank's pieces depend on, numbered where it is
/// first met: how fast its GPU is and how the ranks of its groups lie.
std::vector<std::uint32_t> alike_in_pieces(const JobContext& context,
                                           const std::vector<int>& ranks) {
  std::vector<std::uint32_t> numbers(ranks.size(), 0);
  if (ranks.size() == 1) return numbers;
  std::vector<std::pair<double, std::vector<GroupLayout>>> known;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    std::pair<double, std::vector<GroupLayout>> own;
    own.first = context.cluster.slowdown(context.placement.gpu(ranks[i]));
    for (const GroupRow& row : group_rows()) {
      if (row.calls.piece) own.second.push_back(context.layout(row.kind, ranks[i]));
    }
    const auto found = std::find(known.begin(), known.end(), own);
    numbers[i] = static_cast<std::uint32_t>(found - known.begin());
    if (found == known.end()) known.push_back(std::move(own));
  }
  return numbers;
}

/// By number of a program, the first rank that has it; they are numbered as ranks come to them.
std::vector<int> first_ranks(const std::vector<int>& programs) {
  std::vector<int> first;
  for (std::size_t rank = 0; rank < programs.size(); ++rank) {
    if (programs[rank] == static_cast<int>(first.size())) first.push_back(static_cast<int>(rank));
  }
  return first;
}

}  // namespace

Program piece_program(const KernelContext& context, const Piece& piece, int rank) {
  const SlowedKernelModel kernels = context.kernels_of(rank);
  RankLayouts layouts([&](GroupKind kind) { return context.layout(kind, rank); });
  return piece_program({context.recipe, context.cluster.spec(), kernels, layouts}, piece);
}

Plan step_plan(const StepContext& context) {
  Plan plan = empty_plan(context);
  const RankClasses& classes = context.classes;
  std::vector<int> everyone(static_cast<std::size_t>(context.grid.ranks()));
  std::iota(everyone.begin(), everyone.end(), 0);
  const std::vector<int> first = first_ranks(classes.program);
  plan.programs.resize(first.size());
  parallel_each(first.size(),
                [&](std::size_t i) { plan.programs[i] = stage_program(context, first[i]); });
  const ProgramCalls calls = calls_of(plan.programs);
  PlanGroups(context, plan, calls, classes.step_representative, classes.step_like)
      .add_ranks(everyone);
  for (SimulatedRank& rank : plan.ranks) {
    rank.program = static_cast<std::uint32_t>(classes.program[static_cast<std::size_t>(rank.rank)]);
  }
  add_inner_flows(plan, calls);
  return plan;
}

Plan piece_plan(const PassContext& context, const Piece& piece, int pass) {
  const std::vector<int>& passes = context.classes.pass;
  const auto first = std::find(passes.begin(), passes.end(), pass);
  Plan plan = empty_plan(context);
  const std::vector<int>& representative = context.classes.piece_representative;
  const std::vector<int> replica =
      context.grid.group(GroupKind::replica, static_cast<int>(first - passes.begin()));
  std::vector<int> simulated;
  std::copy_if(replica.begin(), replica.end(), std::back_inserter(simulated),
               [&](int rank) { return representative[static_cast<std::size_t>(rank)] == rank; });
  const std::vector<std::uint32_t> numbers = alike_in_pieces(context, simulated);
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    if (numbers[i] == plan.programs.size())
      plan.programs.push_back(piece_program(context, piece, simulated[i]));
  }
  PlanGroups(context, plan, calls_of(plan.programs), representative, context.classes.piece_like)
      .add_ranks(replica);
  for (std::size_t i = 0; i < plan.ranks.size(); ++i) plan.ranks[i].program = numbers[i];
  return plan;
}

}  // namespace simtrain
