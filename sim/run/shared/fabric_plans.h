#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sim/run/shared/fabric_scenario.h"
#include "sim/run/shared/plan_union.h"
#include "sim/run/step/planned_step.h"

namespace simtrain {

/// Jobs laid out on their cluster, and how they may meet.
struct FabricPlans {
  std::shared_ptr<const Cluster> cluster;
  bool links_never_bind = false;
  /// Of all ranks of all jobs, folded; none where no job can meet another.
  std::optional<PlanUnion> all;
  std::vector<std::vector<int>> meeting;  ///< jobs that may; those alone have a list of one
  std::vector<double> alone_s;            ///< steps
  int ranks = 0;
};

FabricPlans fabric_plans(const FabricScenario& fabric, ClusterCache& clusters);

}  // namespace simtrain
