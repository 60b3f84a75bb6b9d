#pragma once

#include <array>
#include <vector>

#include "sim/topology/cluster.h"
#include "sim/topology/placement.h"
#include "sim/workload/kernel_model.h"
#include "sim/workload/pass_program.h"
#include "sim/workload/plan.h"
#include "sim/workload/rank_classes.h"
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
  const RankClasses& classes;
  const std::vector<PieceCosts>& pieces;  ///< by pass class

  /// Kernels on the GPU of a rank.
  [[nodiscard]] SlowedKernelModel kernels_of(int rank) const {
    return {kernels, cluster.slowdown(placement.gpu(rank))};
  }
  [[nodiscard]] const PieceCosts& pieces_of(int rank) const {
    return pieces[static_cast<std::size_t>(classes.pass[static_cast<std::size_t>(rank)])];
  }
};

/// The plan of one whole step. One rank is simulated for each class; its tensor, context and data
/// groups rendezvous among the classes that they hold.
Plan step_plan(const StepContext& context);

/// The program of one piece on a rank.
Program piece_program(const StepContext& context, Piece piece, int rank);

/// A plan that plays one piece on the first TP x CP group of a pass class, with one rank for each
/// class of its ranks. Its first simulated rank is the group's first.
Plan piece_plan(const StepContext& context, Piece piece, int pass);

}  // namespace simtrain
