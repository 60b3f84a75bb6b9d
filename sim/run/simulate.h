#pragma once

#include "sim/core/watch.h"
#include "sim/run/results/report.h"
#include "sim/run/scenario/scenario.h"
#include "sim/topology/cluster_cache.h"

namespace simtrain {

struct SimulateOptions {
  bool unfold = false;  ///< simulate every rank; gives the same numbers
  /// Clusters shared with other simulations, of any thread; not owned. None: built for this one.
  ClusterCache* clusters = nullptr;
  Watch watch{};  ///< receives the number of ops that have ended
};

/// Predicts one training step of a scenario: cluster, placement, plan, execution, report.
/// Many threads may simulate at a time; what they share is in `options` and in the DataFolder that
/// their scenarios came from.
Report simulate(const Scenario& scenario, const SimulateOptions& options = {});

/// The step of a report, as far as its uncertainty depends on it.
PredictedStep predicted_step(const Scenario& scenario, const Report& report);

}  // namespace simtrain
