#pragma once

#include <array>

#include "sim/topology/cluster.h"
#include "sim/topology/placement.h"
#include "sim/workload/kernel_model.h"
#include "sim/workload/pass_program.h"
#include "sim/workload/plan.h"
#include "sim/workload/rank_grid.h"

namespace simtrain {

/// What each piece takes once its own program has been played.
using PieceCosts = std::array<ComputeCost, kPieces>;

/// What a step's plan is built from. All references outlive the call.
struct StepContext {
  const Recipe& recipe;
  const Cluster& cluster;
  const Placement& placement;
  const RankGrid& grid;
  const KernelModel& kernels;
  const PieceCosts& pieces;
};

/// True where all ranks of each pipeline stage are provably alike: they hold equal work (the grid
/// says so), their groups lie alike in the cluster, and no link that two of them share can bind.
bool stages_are_uniform(const StepContext& context);

/// The plan of one whole step. Folded, one rank stands for each stage; unfolded, every rank is
/// simulated and its tensor, context and data groups rendezvous for real. Folding is refused (the
/// plan is unfolded) where the stages are not uniform.
Plan step_plan(const StepContext& context, bool unfold);

/// A plan that plays one piece: on one rank, or unfolded on all ranks of the first TP x CP group.
Plan piece_plan(const StepContext& context, Piece piece, bool unfold);

}  // namespace simtrain
