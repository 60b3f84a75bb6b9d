#include "sim/job/simulation/saved_states.h"

#include <algorithm>

namespace simtrain {

void SavedStates::add(const SavePlan& kind, double begun, double now, double done,
                      const UsedTime& used) {
  SavedState state{done, begun, now, kNever, kind.load_s, kind.load_s, used};
  if (kind.async) state.usable_s = begun + kind.copy_s + kind.write_s;
  if (kind.outlives_nodes) {
    state.safe_s = state.usable_s;
  } else if (kind.drain_s > 0 && draining_until_ <= state.usable_s + kind.drain_s) {
    // One is drained at a time, and at most one waits: of the others none is.
    draining_until_ = std::max(state.usable_s, draining_until_) + kind.drain_s;
    state.safe_s = draining_until_;
    state.safe_load_s = kind.drained_load_s;
  }
  // Of those before, the newest safe and the newest usable one count, and what may become so.
  const auto last = [&](auto when) {
    const auto found = std::find_if(states_.rbegin(), states_.rend(),
                                    [&](const SavedState& s) { return s.*when <= now; });
    return found->begun_s;
  };
  const double safe = last(&SavedState::safe_s);
  const double usable = last(&SavedState::usable_s);
  std::erase_if(states_, [&](const SavedState& s) {
    const bool counts = s.begun_s >= usable || s.begun_s == safe ||
                        (s.begun_s > safe && s.safe_s > now && s.safe_s < kNever);
    return !counts;
  });
  states_.push_back(state);
}

SavedState SavedStates::newest(double now, bool nodes_lost) const {
  const auto found = std::find_if(states_.rbegin(), states_.rend(), [&](const SavedState& s) {
    return (nodes_lost ? s.safe_s : s.usable_s) <= now;
  });
  SavedState state = *found;
  if (nodes_lost) state.load_s = state.safe_load_s;
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
