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

/// The pieces of a pass by Piece number; those that the recipe does not have are empty.
using PlayedPieces = std::vector<PlayedPiece>;

/// Plays every piece that the recipe has for each pass class; a pass of the step is their sum.
/// A layer takes at least the time in which the host launches its kernels, unless CUDA graphs do.
/// The sensitivity of a piece to what runs beside it is that of its kernels on the critical path.
std::vector<PlayedPieces> play_pieces(const StepContext& context);

/// What the step's plan sees of them, by pass class.
std::vector<PieceCosts> costs_of(const std::vector<PlayedPieces>& passes);

}  // namespace simtrain
