#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/core/files/data_folder.h"
#include "sim/study/sweep/sweep_grid.h"
#include "sim/topology/cluster_cache.h"

namespace simtrain {

/// What a sweep asks: a scenario, what is set in it, and the grid of what is varied. Read and
/// checked: no value in it is wrong in itself, though many combinations may be illegal.
struct SweepQuestion {
  DataFolder data;  ///< a snapshot
  ScenarioSource source;
  std::string row;
  std::vector<Setting> settings;
  SweepGrid grid;
  std::string name;         ///< the scenario's file and row, and what is set in it
  std::string gpus_note;    ///< where a cluster has other nodes, so that the GPUs change unasked
  std::string fingerprint;  ///< of scenario, settings, grid and hardware files: sixteen digits
  /// Clusters that candidates share.
  std::shared_ptr<ClusterCache> clusters = std::make_shared<ClusterCache>();
};

/// What the user gave.
struct SweepRequest {
  std::string path;
  std::string row;
  std::vector<Setting> settings;
  std::vector<SweepAxis> varied;
};

/// What a request varies of a scenario that has been read. Throws InputError where keys, ranges or
/// lists are wrong; whether a job may have a value is not looked at.
SweepGrid sweep_grid(const ScenarioSource& source, const SweepRequest& request);

/// Reads the scenario and checks all that can be wrong before anything starts. The scenario's sweep
/// block comes first; an axis of `varied` takes the place of the block's for the same key, a
/// setting removes it. Throws InputError.
SweepQuestion sweep_question(const DataFolder& data, const SweepRequest& request);

/// The same of a scenario that has been read; the path of the request is only its name.
SweepQuestion sweep_question(const DataFolder& data, const ScenarioSource& source,
                             const SweepRequest& request);

}  // namespace simtrain
