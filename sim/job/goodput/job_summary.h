#pragma once

#include <vector>

#include "sim/job/simulation/job_run.h"

namespace simtrain {

/// How a figure spreads over runs. Percentiles are of the nearest rank.
struct Spread {
  double mean = 0;
  double p5 = 0;
  double p10 = 0;
  double p50 = 0;
  double p90 = 0;
  double p95 = 0;
};

/// Many runs of a job in figures.
struct JobSummary {
  int runs = 0;
  int finished = 0;  ///< the others were given up
  Spread elapsed_s;
  Spread steps;
  Spread goodput;  ///< see JobRun
  Spread effective_time;
  Spread interruptions;          ///< failures that ended the job unannounced
  UsedTime used;                 ///< mean; sums to the mean elapsed time
  std::vector<double> failures;  ///< mean, by kind of the plan
  double restarts = 0;           ///< mean
  double saves = 0;
  double departures = 0;  ///< see JobRun
  double gpu_hours = 0;   ///< mean, of the job's nodes
  double spare_gpu_hours = 0;

  /// Hours of GPUs, spares with them, for each step that stays.
  [[nodiscard]] double gpu_hours_per_step() const {
    return (gpu_hours + spare_gpu_hours) / steps.mean;
  }
};

/// Of at least one run. The runs' order does not matter but for the last digits of means.
JobSummary summary_of(const JobPlan& plan, const std::vector<JobRun>& runs);

}  // namespace simtrain
