#pragma once

#include <string>
#include <vector>

#include "sim/core/files/data_folder.h"
#include "sim/run/engine/job_steps.h"
#include "sim/run/scenario/scenario.h"
#include "sim/run/shared/fabric_spec.h"

namespace simtrain {

/// A job that shares its cluster with others. Its scenario is on the shared cluster, placed by a
/// list of hosts.
struct FabricJob {
  std::string name;
  Scenario scenario;
  std::string placement;  ///< as the file says it: "compact", "random (seed 7)"
  Duration start{};
  SourcePlace where;
  std::string file{};  ///< path of its scenario
};

/// Jobs on one cluster, read and checked: whatever is here can be simulated.
struct FabricScenario {
  std::string name;
  std::vector<FabricJob> jobs;
  StepsToCount steps;

  /// By host of the cluster, whether a job other than `but` (-1: none) has it.
  [[nodiscard]] std::vector<bool> taken_hosts(int but = -1) const;
};

/// Reads a file of jobs with the scenarios that it names. Jobs are placed in the file's order.
/// Throws InputError where something is wrong in it or in one of these, hosts are too few or given
/// twice, or a job's scenario makes the hardware another than that of the others.
FabricScenario load_fabric(const DataFolder& data, const std::string& path);

/// Gives a job other hosts.
void place_on(Scenario& scenario, const std::vector<int>& hosts);

}  // namespace simtrain
