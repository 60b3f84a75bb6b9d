#pragma once

#include <vector>

#include "sim/collectives/collective.h"
#include "sim/topology/cluster.h"
#include "sim/topology/placement/placement.h"
#include "sim/workload/kernels/kernel_model.h"
#include "sim/workload/model/layers/model_parts.h"
#include "sim/workload/parallel/rank_classes.h"
#include "sim/workload/parallel/rank_grid.h"
#include "sim/workload/plan/plan.h"

namespace simtrain {

/// What a piece takes once its own program has been simulated, and what moves inside.
struct PieceCost : ComputeCost {
  PassTraffic inner{};
};
using PieceCosts = ByPiece<PieceCost>;

/// A job laid out on its cluster. Like the contexts below it holds references that outlive the
/// call.
struct JobContext {
  const Recipe& recipe;
  const ModelTotals& totals;  ///< of the recipe
  const Cluster& cluster;
  const Placement& placement;
  const RankGrid& grid;

  /// How the ranks of a rank's group lie.
  [[nodiscard]] GroupLayout layout(GroupKind kind, int rank) const {
    return layout_of(cluster, placement.gpus(grid.group(kind, rank)));
  }
};

/// With the time of kernels: what the pieces of one rank are built from.
struct KernelContext : JobContext {
  const KernelModel& kernels;

  /// Kernels on the GPU of a rank.
  [[nodiscard]] SlowedKernelModel kernels_of(int rank) const {
    return {kernels, cluster.slowdown(placement.gpu(rank))};
  }
};

/// With the classes of ranks: what the plans of pieces are built from.
struct PassContext : KernelContext {
  const RankClasses& classes;
};

/// With what the pieces take: what a step's plan is built from.
struct StepContext : PassContext {
  const std::vector<PieceCosts>& pieces;  ///< by pass class

  [[nodiscard]] const PieceCosts& pieces_of(int rank) const {
    return pieces[static_cast<std::size_t>(classes.pass[static_cast<std::size_t>(rank)])];
  }
};

}  // namespace simtrain
