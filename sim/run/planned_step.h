#pragma once

#include <vector>

#include "sim/run/simulated_step.h"

namespace simtrain {

/// A step that is laid out and planned, not yet simulated (see SimulatedStep).
struct PlannedStep {
  Job job;
  double clock = 1;
  std::vector<SimulatedPieces> passes;  ///< by pass class
  std::vector<PieceCosts> costs;        ///< by pass class
  Plan plan;
};
PlannedStep plan_step(const Scenario& scenario, const SimulateOptions& options);
PlannedStep plan_step(Job job);

/// A step as pieces are asked for what moves in them, before it has run.
SimulatedStep without_timeline(PlannedStep planned);

/// A cluster of the cache, or where there is none a new one.
std::shared_ptr<const Cluster> cluster_for(const ClusterSpec& spec, ClusterCache* clusters);

}  // namespace simtrain
