#pragma once

#include <cstdint>
#include <vector>

#include "sim/job/plan/job_plan.h"
#include "sim/job/simulation/use_trace.h"

namespace simtrain {

/// One run of a job, from its first start to its last step.
struct JobRun {
  double elapsed_s = 0;
  UsedTime used;                       ///< sums to `elapsed_s`
  double steps = 0;                    ///< done, of the whole job's tokens
  bool finished = false;               ///< reached its goal or its horizon
  std::vector<std::int64_t> failures;  ///< by kind of the plan
  std::int64_t restarts = 0;
  std::int64_t saves = 0;
  std::int64_t departures = 0;  ///< of sets of replicas without which the others went on

  /// The share of its time that went into steps that stay, at full speed.
  [[nodiscard]] double goodput() const { return used[TimeUse::training] / elapsed_s; }
  /// The share in which it was not interrupted: all but lost work and what lies between a failure
  /// and the first step, as Llama 3 (2407.21783) and MegaScale (2402.15627) count effective time.
  [[nodiscard]] double effective_time() const;
};

/// A job that does not get on is given up when it has taken so many times what it takes
/// undisturbed, with its validations.
inline constexpr double kGivesUp = 20;
/// Failures after which a run is given up: none that is simulated within reason meets as many.
inline constexpr std::int64_t kMostFailures = 1'000'000;

/// Simulates run number `run` of a plan, event by event: checkpoints, failures, what is noticed
/// late, nodes that come back. Between two events steps go on at one speed. Failures of each kind
/// come as a Poisson process, while the job restarts too. Its random numbers are those of the
/// plan's seed and `run` alone. `trace`, where there is one, of the run's length, gets what it does
/// when.
JobRun simulate_job(const JobPlan& plan, std::uint32_t run, UseTrace* trace = nullptr);

}  // namespace simtrain
