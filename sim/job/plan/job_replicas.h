#pragma once

#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// The replicas of a job: GPUs that hold all of its state and can be left out. They leave by as
/// many as fill whole nodes.
struct JobReplicas {
  int gpus = 0;          ///< of each replica
  int together = 1;      ///< replicas that leave together
  int nodes = 1;         ///< that these fill
  int sets = 1;          ///< of so many replicas in the job
  int sets_of_node = 1;  ///< that have GPUs on one node, at most
  int sets_of_unit = 1;  ///< that have GPUs below one set of leaf switches, at most
};

/// GPUs of one replica. Where some ranks alone shard their state (HSDP), each group of these is
/// one; else each rank of DP is.
int gpus_of_replica(const Scenario& scenario);

/// The job is placed compactly.
JobReplicas job_replicas(const Scenario& scenario);

/// Whether each replica holds all of the state, so that the others can go on without one at once.
bool replicas_are_whole(const Recipe& recipe);

}  // namespace simtrain
