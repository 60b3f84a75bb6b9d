#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sim/job/specs/failure_spec.h"

namespace simtrain {

inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// Whether steps are a whole number of intervals: exact, and a tenth of the time of std::fmod.
inline bool is_multiple(double steps, double interval) {
  return std::floor(steps / interval) * interval == steps;
}

/// One kind of failure as it meets a job.
struct FailureKind {
  std::string component;
  FailureEffect effect{};
  double rate = 0;         ///< events a second, over all of the job
  double nodes = 0;        ///< that each takes out
  FailureReach takes{};    ///< see FailureRow
  double detection_s = 0;  ///< see FailureRow
  double repair_s = 0;
  /// Of what slows: steps take so many times as long (simulated); [k] with k times `nodes_apart`
  /// nodes missing, as JobPlan::smaller.
  std::vector<double> slowdowns{1};
  /// Of a job with ReplicaPlan: sets of replicas that each takes out; 0: all of the job.
  int sets = 0;
};

/// Where sets of replicas leave a job and come back while the others go on: `nodes_apart` nodes
/// each, of which the job has so many.
struct ReplicaPlan {
  int sets = 0;
  double notice_s = 0;  ///< see ToleranceSpec
  double leave_s = 0;
  double join_s = 0;
  double groups_s = 0;  ///< communicators of a set that starts again
  double fetch_s = 0;   ///< its state, from others
};

/// One kind of checkpoint of a job.
struct SavePlan {
  double interval = 0;  ///< steps; 0: there are none of the kind. A local one divides the other
  double copy_s = 0;    ///< state to host memory: training always waits
  double write_s = 0;   ///< to the storage
  bool async = false;   ///< training does not wait for it
  double slows_s = 0;   ///< what steps beside an asynchronous one take longer, together
  double load_s = 0;
  FailureReach outlives = FailureReach::unit;  ///< see StorageSpec
  double drain_s = 0;  ///< from there to where it outlives all; 0: nowhere else
  double drained_load_s = 0;

  [[nodiscard]] double stall_s() const { return async ? copy_s : copy_s + write_s; }
  /// How long the one before is still written when an asynchronous save, of so many steps later, is
  /// due.
  [[nodiscard]] double still_written_s(double steps, double step_s) const {
    return async ? std::max(0.0, write_s - slows_s - steps * step_s) : 0;
  }
};

/// A job with replicas missing.
struct SmallerJob {
  double step_s = 0;
  double share = 1;  ///< of the tokens of a step of the whole job
};

/// What a step takes to be fed with data.
struct DataPlan {
  double own_s = 0;     ///< by what each replica has: workers, nodes
  double shared_s = 0;  ///< by a storage that all share, for the whole job's samples
  bool ahead = true;    ///< beside the step before it; else between two

  /// What a step of so many seconds waits, of a job with `share` of the samples.
  [[nodiscard]] double wait_s(double step_s, double share) const {
    const double fed_s = std::max(own_s, shared_s * share);
    return ahead ? std::max(0.0, fed_s - step_s) : fed_s;
  }
};

/// All that a run of a job depends on but its random numbers.
struct JobPlan {
  double goal_steps = kNever;  ///< one of both is finite
  double horizon_s = kNever;
  int gpus = 0;
  int nodes = 0;
  int spares = 0;
  double step_s = 0;  ///< mean
  double tokens_per_step = 0;
  double eval_s = 0;  ///< of validation, for each step of training
  DataPlan data;
  std::vector<SmallerJob> smaller;  ///< [k]: k times `nodes_apart` nodes are missing; [0]: none
  int nodes_apart = 1;
  std::optional<ReplicaPlan> replicas;  ///< none: what stops a replica stops the job
  SavePlan persistent;
  SavePlan local;
  double scheduler_s = 0;
  double launch_s = 0;
  double groups_s = 0;
  double first_step_s = 0;
  double manual_share = 0;
  double manual_s = 0;
  std::vector<FailureKind> failures;
  std::uint64_t seed = 0;

  /// Of all kinds that end the job unannounced, or take replicas out of it.
  [[nodiscard]] double interruptions_per_s() const;
  /// Of those of them after which all of it goes back to a checkpoint.
  [[nodiscard]] double returns_per_s() const;
  /// Whether a failure takes out some replicas alone.
  [[nodiscard]] bool spares_others(const FailureKind& kind) const {
    return replicas.has_value() && kind.sets > 0;
  }
  /// Between a known failure and the first step, the work of people and waiting for nodes aside.
  [[nodiscard]] double restart_s() const {
    return scheduler_s + launch_s + groups_s + persistent.load_s + first_step_s;
  }
  /// Of a step of the whole job, where nothing is slow, with what it waits for data.
  [[nodiscard]] double fed_step_s() const { return step_s + data.wait_s(step_s, 1); }
  /// The same with all that comes with each.
  [[nodiscard]] double full_step_s() const { return fed_step_s() + eval_s; }
  /// All that training waits for one of its saves.
  [[nodiscard]] double waits_s(const SavePlan& save) const {
    const double still = save.interval > 0 ? save.still_written_s(save.interval, full_step_s()) : 0;
    return save.stall_s() + still;
  }
  /// How long its steps take where nothing ever fails or is saved.
  [[nodiscard]] double ideal_s() const;
  /// The same with one start.
  [[nodiscard]] double undisturbed_s() const { return restart_s() + ideal_s(); }
};

/// Steps between checkpoints that cost least by Young (1974): sqrt(2 C M), with C what a checkpoint
/// costs and M the mean time between failures that go back to one; at least 1 step, kNever where
/// none does.
double young_interval_steps(const JobPlan& plan);

/// By Daly (2006), of higher order: sqrt(2 C M) (1 + sqrt(C / 2M) / 3 + C / 18 M) - C below
/// C = 2 M, else M.
double daly_interval_steps(const JobPlan& plan);

/// An interval of persistent checkpoints near `steps`: a multiple of that of local ones.
double possible_interval(const JobPlan& plan, double steps);

/// The possible interval that Daly's formula asks for; of asynchronous saves at least as long as
/// one is written, since training waits for it. 0 where nothing goes back to a checkpoint.
double suited_interval(const JobPlan& plan);

}  // namespace simtrain
