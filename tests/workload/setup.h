#pragma once

#include <string>

#include "sim/workload/plan/step_context.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "tests/workload/recipes.h"

namespace simtrain::testing {

/// A recipe on a cluster of hardware/: all that a step's plan is built from. Every piece takes a
/// millisecond.
class StepSetup {
 public:
  StepSetup(const Recipe& recipe, const std::string& cluster, int nodes, bool unfold = false)
      : recipe_(recipe),
        totals_(recipe_),
        cluster_(load_cluster(data_folder(), cluster, nodes, {})),
        placement_(place_compactly(cluster_.spec())),
        grid_(rank_grid(recipe_, cluster_.spec().gpus())),
        kernels_(cluster_.spec().gpu),
        classes_(rank_classes(cluster_, placement_, grid_, unfold)) {
    PieceCost piece;
    piece.time = std::chrono::milliseconds(1);
    piece.sm_bound = 1;
    part(piece.parts, Share::gemm) = to_seconds(piece.time);
    pieces_.resize(classes_.pass.size());
    for (PieceCosts& costs : pieces_) costs.fill(piece);
  }
  [[nodiscard]] StepContext context() const {
    return {{{{recipe_, totals_, cluster_, placement_, grid_}, kernels_}, classes_}, pieces_};
  }

 private:
  Recipe recipe_;
  ModelTotals totals_;
  Cluster cluster_;
  Placement placement_;
  RankGrid grid_;
  FittedKernelModel kernels_;
  RankClasses classes_;
  std::vector<PieceCosts> pieces_;
};

}  // namespace simtrain::testing
