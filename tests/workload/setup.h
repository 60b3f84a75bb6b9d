#pragma once

#include <string>

#include "sim/workload/step_plan.h"
#include "tests/workload/recipes.h"

namespace simtrain::testing {

/// A recipe on a cluster of hardware/: all that a step's plan is built from. Every piece takes a
/// millisecond.
class StepSetup {
 public:
  StepSetup(const Recipe& recipe, const std::string& cluster, int nodes)
      : recipe_(recipe),
        cluster_(load_cluster(data_folder(), cluster, nodes, {})),
        placement_(place_compactly(cluster_.spec())),
        grid_(recipe_, cluster_.spec().gpus()),
        kernels_(cluster_.spec().gpu) {
    for (ComputeCost& piece : pieces_) {
      piece.time = std::chrono::milliseconds(1);
      piece.sm_bound = 1;
      part(piece.parts, Share::gemm) = to_seconds(piece.time);
    }
  }
  [[nodiscard]] StepContext context() const {
    return {recipe_, cluster_, placement_, grid_, kernels_, pieces_};
  }

 private:
  Recipe recipe_;
  Cluster cluster_;
  Placement placement_;
  RankGrid grid_;
  FittedKernelModel kernels_;
  PieceCosts pieces_{};
};

}  // namespace simtrain::testing
