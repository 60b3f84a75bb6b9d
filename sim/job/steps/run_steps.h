#pragma once

#include <vector>

#include "sim/job/plan/job_inputs.h"
#include "sim/job/specs/step_events.h"
#include "sim/run/results/report.h"

namespace simtrain {

/// What a job does between its steps.
struct BetweenSteps {
  double data_s = 0;        ///< that each step waits for its data, which frameworks time with it
  double evaluation_s = 0;  ///< of one validation
  int eval_interval = 0;    ///< steps; 0: never
  double save_s = 0;        ///< that training waits for a checkpoint
  double save_interval = 0;
  double local_save_s = 0;  ///< of those between them
  double local_interval = 0;
};

/// Of a job whose healthy step is `report`; the interval between its checkpoints is the job's own.
BetweenSteps between_steps(const JobInputs& job, const Report& report);

/// A step of a run.
struct RunStep {
  double seconds = 0;  ///< of the step alone, as frameworks time it
  double after_s = 0;  ///< of what the job does before the next one
};

/// The steps of `report.sample`, there is one, as a run that starts has them: the first one longer
/// by what is set up in it, each at garbage collection and some, drawn by the sample's seed,
/// slower. But for the first their mean goes to the report's step time, as without.
std::vector<RunStep> run_steps(const Report& report, const StepEvents& events,
                               const BetweenSteps& between);

}  // namespace simtrain
