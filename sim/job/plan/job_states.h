#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/job/checkpoint/checkpoint.h"
#include "sim/job/checkpoint/network_use.h"
#include "sim/job/plan/job_inputs.h"
#include "sim/job/plan/job_plan.h"
#include "sim/job/plan/job_replicas.h"
#include "sim/run/results/report.h"

namespace simtrain {

/// A state of the job whose step is to be simulated.
struct StepState {
  std::string name;  ///< "healthy", "a GPU 1.5 times as slow", "1 node missing", ...
  Scenario scenario;
};

/// What the checkpoints of a job cost.
struct JobCheckpoints {
  CheckpointShape shape;
  CheckpointCost persistent;
  CheckpointCost local;       ///< where there are checkpoints in between
  NetworkUse persistent_use;  ///< of the network of training
  NetworkUse local_use;
  double drained_load_s = 0;  ///< from the storage that is drained to

  /// Of host memory while checkpoints are written: of one, and what is kept of both kinds.
  [[nodiscard]] double host_bytes_per_node() const {
    return persistent.host_bytes_per_node + persistent.kept_bytes_per_node +
           local.kept_bytes_per_node;
  }
};
JobCheckpoints job_checkpoints(const JobInputs& job);

/// The states that a job can be in, each once, the healthy one first; and which of them is which.
struct JobStates {
  std::vector<StepState> states;
  std::vector<std::size_t> smaller;  ///< [k]: with k sets of `replicas` missing
  JobReplicas replicas;
  /// By row of the failures, and [k] as `smaller`; without its fault where it slows nothing.
  std::vector<std::vector<std::size_t>> slowed;
  std::size_t saving = 0;        ///< while a checkpoint is written beside training
  std::size_t saving_local = 0;  ///< the same of one in between
};

/// Degraded states are the job's own scenario with the faults that `cluster.faults` may hold: a
/// slow GPU or NIC of its first host without one, NICs and links that checkpoints share. With
/// replicas missing, the scenario of the others on fewer nodes, each with as many micro-batches as
/// ever, and that with each fault. Throws InputError where the scenario's own faults come and go.
JobStates job_states(const JobInputs& job, const JobCheckpoints& checkpoints);

/// The plan of a job from the reports of its states, in their order.
JobPlan job_plan(const JobInputs& job, const JobCheckpoints& checkpoints, const JobStates& states,
                 const std::vector<Report>& reports);

}  // namespace simtrain
