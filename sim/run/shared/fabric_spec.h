#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/fields.h"
#include "sim/core/quantity.h"
#include "sim/core/source_place.h"
#include "sim/topology/placement/placement.h"
#include "sim/topology/specs/fault_spec.h"

namespace simtrain {

/// The cluster that jobs share: `cluster` of a file of jobs.
struct FabricCluster {
  std::string name;  ///< of hardware/clusters, in place of those of the jobs' scenarios
  int nodes = 0;
  ClusterFaults faults;
};
template <>
struct Fields<FabricCluster>;

/// One of the jobs: an entry of `jobs`.
struct FabricEntry {
  std::string name;
  std::string scenario;            ///< a file, from the folder of the file of jobs on
  std::optional<std::string> row;  ///< of its table
  std::vector<std::string> set;    ///< KEY=VALUE, as `simtrain run --set`
  PlacementSpec placement;         ///< among the hosts that the jobs before it have left
  RankOrder rank_order{};
  Duration start{};  ///< of its first step
  SourcePlace where;
};
template <>
struct Fields<FabricEntry>;

/// A file of jobs as it says it.
struct FabricFile {
  std::string name;
  std::vector<std::string> notes;
  FabricCluster cluster;
  int steps = 4;          ///< of each job, that count
  int warm_up_steps = 1;  ///< of each job, before those
  std::vector<FabricEntry> jobs;
};
template <>
struct Fields<FabricFile>;

}  // namespace simtrain
