#pragma once

#include <vector>

#include "sim/job/plan/job_plan.h"
#include "sim/job/simulation/time_use.h"

namespace simtrain {

/// A checkpoint of a run.
struct SavedState {
  double done = 0;  ///< steps that it holds
  double begun_s = -kNever;
  double usable_s = -kNever;  ///< from then on it can be loaded where no node was lost
  double safe_s = -kNever;    ///< from then on in any case
  double load_s = 0;
  double safe_load_s = 0;
  UsedTime used;  ///< by the run, when it was made
};

/// The checkpoints that a run may yet go back to; at first its beginning, which is loaded at once.
class SavedStates {
 public:
  SavedStates() : states_(1) {}

  /// One that training went on from at `now`.
  void add(const SavePlan& kind, double begun, double now, double done, const UsedTime& used);
  /// The newest that can be loaded; with `nodes_lost` not one that these had. Its `load_s` is what
  /// that takes.
  [[nodiscard]] SavedState newest(double now, bool nodes_lost) const;
  /// The job goes on from a state: none is newer.
  void forget_after(const SavedState& state, double now);

  /// When the storage is done with the last one.
  [[nodiscard]] double busy_until(bool persistent) const { return busy_[persistent ? 1 : 0]; }
  void set_busy(bool persistent, double until) { busy_[persistent ? 1 : 0] = until; }

 private:
  std::vector<SavedState> states_;  ///< in order
  double busy_[2]{-kNever, -kNever};
  double draining_until_ = -kNever;
};

}  // namespace simtrain
