#pragma once

#include <vector>

#include "sim/run/critical_path.h"
#include "sim/workload/step_plan.h"

namespace simtrain {

/// One piece of a pass after its kernels and collectives have been played by themselves.
struct PlayedPiece {
  Plan plan;
  Timeline timeline;
  std::vector<PathStep> path;
  ComputeCost cost;  ///< what the step's plan sees of it
};

/// Plays every piece that the recipe has, by Piece number; a pass of the step is their sum.
/// A layer takes at least the time in which the host launches its kernels, unless CUDA graphs do.
/// The sensitivity of a piece to what runs beside it is that of its kernels on the critical path.
std::vector<PlayedPiece> play_pieces(const StepContext& context, bool unfold);

}  // namespace simtrain
