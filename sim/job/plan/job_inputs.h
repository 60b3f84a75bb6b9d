#pragma once

#include <optional>

#include "sim/job/specs/failure_spec.h"
#include "sim/job/specs/step_events.h"
#include "sim/job/specs/storage_spec.h"
#include "sim/job/specs/tolerance_spec.h"
#include "sim/run/scenario/job_spec.h"
#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// A training job with the files that its scenario names.
struct JobInputs {
  Scenario scenario;
  JobSpec spec;
  std::optional<FailureSpec> failures;
  std::optional<ToleranceSpec> tolerance;
  StorageSpec storage;
  std::optional<StorageSpec> drain;  ///< that the storage drains to
  std::optional<StorageSpec> local;  ///< of checkpoints in between
  std::optional<StorageSpec> data;   ///< that training data are read from
  StorageSpec staging;               ///< memory of the hosts
  StepEvents events;
};

/// The storage through which all state leaves GPUs: a file of hardware/storage.
inline constexpr const char* kHostMemory = "host-memory";

/// Reads a job. `tree` is that of the scenario, for the places of errors. Throws InputError where
/// the scenario has no job, a file is missing, and where keys of the job do not fit together.
JobInputs load_job(const DataFolder& data, const Scenario& scenario, const YamlNode& tree);

/// What a job fails by: units of the job, as FailureRow::per names them.
double units_of_job(const JobInputs& job, FailureUnit unit);

}  // namespace simtrain
