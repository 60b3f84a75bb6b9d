#pragma once

#include <vector>

#include "sim/run/pieces/critical_path.h"
#include "sim/workload/plan/step_context.h"

namespace simtrain {

/// The kernels and collectives of one piece of a pass, simulated by themselves.
struct ExecutedPiece {
  Plan plan;
  Timeline timeline;
  std::vector<PathStep> path;
};
struct SimulatedPiece : ExecutedPiece {
  PieceCost cost;  ///< what the step's plan sees of it
};

/// The pieces of a pass; those that the recipe does not have are empty.
using SimulatedPieces = ByPiece<SimulatedPiece>;

/// Simulates every piece that the recipe has for each pass class; a pass of the step is their sum.
/// A layer takes at least the time in which the host launches its kernels, unless CUDA graphs do,
/// and that time in addition under CUDA_LAUNCH_BLOCKING.
/// The sensitivity of a piece to what runs beside it is that of its kernels on the critical path.
std::vector<SimulatedPieces> simulate_pieces(const PassContext& context);

/// What the step's plan sees of them, by pass class.
std::vector<PieceCosts> costs_of(const std::vector<SimulatedPieces>& passes);

}  // namespace simtrain
