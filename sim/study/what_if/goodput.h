#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/watch.h"
#include "sim/job/goodput/job_bill.h"
#include "sim/job/goodput/job_summary.h"
#include "sim/job/goodput/power_of_run.h"
#include "sim/job/plan/job_states.h"

namespace simtrain {

/// A plan with one thing changed, and what comes of it.
struct ChangedJob {
  std::string change;
  double value = 0;  ///< of an interval or a number of spares
  JobSummary summary;
  std::vector<std::string> settings;  ///< see ChangedPlan
};

/// Orders changed jobs best first.
bool has_more_goodput(const ChangedJob& a, const ChangedJob& b);

/// Runs of a changed job, or fewer where the job itself has fewer.
inline constexpr int kTriedRuns = 200;

/// All that is asked of a job.
struct Goodput {
  JobInputs inputs;
  JobCheckpoints checkpoints;
  JobStates states;
  std::vector<Report> reports;  ///< of the states
  JobPlan plan;
  std::vector<JobRun> runs;
  JobSummary summary;
  double young_steps = 0;
  double daly_steps = 0;
  std::vector<ChangedJob> intervals;  ///< by interval, in order
  std::vector<ChangedJob> spares;     ///< by spares, in order; empty where nodes never go
  std::vector<ChangedJob> changes;    ///< what else may help, best first
  int tried_runs = 0;                 ///< of each changed job

  /// What the job takes in 9 of 10 cases by its failures and by what the step's prediction may be
  /// off, seconds; both taken as independent. Of a job of `days` there is none.
  [[nodiscard]] std::optional<Interval> elapsed_interval() const;
  /// Energy and price of the job.
  [[nodiscard]] JobBill bill() const { return bill(summary); }
  /// The same of other runs of its steps.
  [[nodiscard]] JobBill bill(const JobSummary& other) const;
  /// The cluster's power over the first run.
  [[nodiscard]] PowerOfRun power() const;
  /// Of the intervals the one with most goodput.
  [[nodiscard]] const ChangedJob* best_interval() const;
  /// Of the spares the number with least GPU hours a step.
  [[nodiscard]] const ChangedJob* best_spares() const;
};

struct GoodputOptions {
  bool changes = true;  ///< intervals, spares and other changes too
  Watch states{};       ///< of steps simulated
  Watch runs{};         ///< of runs
};

/// Simulates a job's states, then its runs, on all cores: equal at any number of threads. Throws
/// InputError where a state cannot be simulated.
Goodput goodput(const JobInputs& inputs, const GoodputOptions& options = {});

}  // namespace simtrain
