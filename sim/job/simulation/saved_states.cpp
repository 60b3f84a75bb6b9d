#include "sim/job/simulation/saved_states.h"

#include <algorithm>

#include "sim/core/invariant.h"

namespace simtrain {

void SavedStates::add(const SavePlan& kind, double begun, double now, double done,
                      const UsedTime& used) {
  const double written = kind.async ? begun + kind.copy_s + kind.write_s : now;
  SavedState state;
  state.done = done;
  state.begun_s = begun;
  state.used = used;
  double drained = kNever;
  // One is drained at a time, and at most one waits: of the others none is.
  if (kind.drain_s > 0 && draining_until_ <= written + kind.drain_s) {
    draining_until_ = std::max(written, draining_until_) + kind.drain_s;
    drained = draining_until_;
  }
  for (std::size_t lost = 0; lost < state.usable_s.size(); ++lost) {
    const bool stays = lost <= static_cast<std::size_t>(kind.outlives);
    state.usable_s[lost] = stays ? written : drained;
    state.loads_s[lost] = stays ? kind.load_s : kind.drained_load_s;
  }
  forget_useless(now);
  states_.push_back(state);
}

/// Whatever is lost, the newest that can be loaded counts, and what may become so.
void SavedStates::forget_useless(double now) {
  std::array<double, 3> newest_begun{};
  const double then = std::min(now, held_s_);
  for (std::size_t lost = 0; lost < newest_begun.size(); ++lost)
    newest_begun[lost] = newest(then, static_cast<FailureReach>(lost)).begun_s;
  std::erase_if(states_, [&](const SavedState& s) {
    for (std::size_t lost = 0; lost < newest_begun.size(); ++lost)
      if (s.begun_s >= newest_begun[lost] && s.usable_s[lost] < kNever) return false;
    return true;
  });
}

SavedState SavedStates::newest(double now, FailureReach lost) const {
  const auto reach = static_cast<std::size_t>(lost);
  const auto found = std::find_if(states_.rbegin(), states_.rend(),
                                  [&](const SavedState& s) { return s.usable_s[reach] <= now; });
  invariant(found != states_.rend(), "something can be loaded, whatever is lost");
  SavedState state = *found;
  state.load_s = state.loads_s[reach];
  return state;
}

void SavedStates::forget_after(const SavedState& state, double now) {
  std::erase_if(states_, [&](const SavedState& s) { return s.begun_s > state.begun_s; });
  if (states_.empty() || states_.back().begun_s < state.begun_s) states_.push_back(state);
  // What the lost ones were written with stands idle.
  for (double& busy : busy_) busy = std::min(busy, now);
  draining_until_ = std::min(draining_until_, now);
}

}  // namespace simtrain
