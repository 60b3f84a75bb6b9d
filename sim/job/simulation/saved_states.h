#pragma once

#include <array>
#include <vector>

#include "sim/job/plan/job_plan.h"
#include "sim/job/simulation/time_use.h"

namespace simtrain {

/// A checkpoint of a run.
struct SavedState {
  double done = 0;  ///< steps that it holds
  double begun_s = -kNever;
  /// By what failures took: from when on it can be loaded, and how long that takes.
  std::array<double, 3> usable_s{-kNever, -kNever, -kNever};
  std::array<double, 3> loads_s{};
  double load_s = 0;  ///< of these the one that counts, once it is to be loaded
  UsedTime used;      ///< by the run, when it was made
};

/// Wrong results, until they are noticed: what they began from.
struct Corruption {
  const FailureKind* kind = nullptr;
  double until_s = 0;
  SavedState clean;
};

/// The checkpoints that a run may yet go back to; at first its beginning, which is loaded at once.
class SavedStates {
 public:
  SavedStates() : states_(1) {}

  /// One that training went on from at `now`.
  void add(const SavePlan& kind, double begun, double now, double done, const UsedTime& used);
  /// The newest that can be loaded where failures took as much as `lost`. Its `load_s` is what that
  /// takes.
  [[nodiscard]] SavedState newest(double now, FailureReach lost) const;
  /// From now on, whatever can be loaded at `now` stays: the job may go back to it however much is
  /// saved meanwhile. Until release().
  void hold(double now) { held_s_ = now; }
  void release() { held_s_ = kNever; }
  /// The job goes on from a state: none is newer.
  void forget_after(const SavedState& state, double now);

  /// When the storage is done with the last one.
  [[nodiscard]] double busy_until(bool persistent) const { return busy_[persistent ? 1 : 0]; }
  void set_busy(bool persistent, double until) { busy_[persistent ? 1 : 0] = until; }

 private:
  void forget_useless(double now);

  std::vector<SavedState> states_;  ///< in order
  double busy_[2]{-kNever, -kNever};
  double draining_until_ = -kNever;
  double held_s_ = kNever;  ///< what could be loaded then stays
};

}  // namespace simtrain
