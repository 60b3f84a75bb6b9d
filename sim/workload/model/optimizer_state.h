#pragma once

#include "sim/workload/model/recipe.h"

namespace simtrain {

/// What Adam keeps of a parameter and moves to update it, in bytes. Memory and the step's end fold
/// over it.
struct OptimizerState {
  double main_weight = 0;  ///< 0: the parameter is its own
  double exp_avg = 0;
  double exp_avg_sq = 0;
  /// Read and written by the kernels of an update: the gradient scaled to its clipped norm, Adam,
  /// the parameter made of its main weight.
  double traffic = 0;

  [[nodiscard]] double bytes() const { return main_weight + exp_avg + exp_avg_sq; }
};

OptimizerState optimizer_state(const Recipe& recipe);

}  // namespace simtrain
