#include "sim/measured/run/step_table.h"

#include <algorithm>
#include <cmath>

namespace simtrain {
namespace {

bool lower(const MeasuredStep& a, const MeasuredStep& b) { return a.number < b.number; }

}  // namespace

void note_repeated(RepeatedSteps& repeated, const MeasuredStep& old, const MeasuredStep& by) {
  ++repeated.count;
  const double difference = std::abs(by.seconds - old.seconds) / std::min(by.seconds, old.seconds);
  repeated.largest_difference = std::max(repeated.largest_difference, difference);
}

void StepTable::add(const MeasuredStep& step) {
  if (!window_.holds(step.number)) return;
  if (window_.newest > 0) {
    add_newest(step);
    return;
  }
  steps_.push_back(step);
  if (steps_.size() < compact_at_) return;
  compact();
  compact_at_ = 2 * steps_.size() + 4096;
}

void StepTable::add_newest(const MeasuredStep& step) {
  const auto old = std::find_if(steps_.begin(), steps_.end(), [&](const MeasuredStep& other) {
    return other.number == step.number;
  });
  if (old != steps_.end()) {
    note_repeated(repeated_, *old, step);
    steps_.erase(old);
  }
  steps_.push_back(step);
  if (static_cast<std::int64_t>(steps_.size()) > window_.newest) steps_.pop_front();
}

/// Sorts by number; of equal numbers only the last stays.
void StepTable::compact() {
  if (!std::is_sorted(steps_.begin(), steps_.end(), lower))
    std::stable_sort(steps_.begin(), steps_.end(), lower);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (kept > 0 && steps_[kept - 1].number == steps_[i].number) {
      note_repeated(repeated_, steps_[kept - 1], steps_[i]);
      steps_[kept - 1] = steps_[i];
    } else {
      steps_[kept++] = steps_[i];
    }
  }
  steps_.resize(kept);
}

std::vector<MeasuredStep> StepTable::take() {
  compact();
  return {steps_.begin(), steps_.end()};
}

}  // namespace simtrain
