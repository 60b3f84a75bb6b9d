#include "sim/measured/profiles/busy_time.h"

#include <algorithm>

namespace simtrain {

void BusyTime::add(std::int64_t start, std::int64_t end) {
  if (too_many_ || end < start) return;
  if (!spans_.empty() && start >= spans_.back().first && start <= spans_.back().second) {
    spans_.back().second = std::max(spans_.back().second, end);
    return;
  }
  spans_.emplace_back(start, end);
  constexpr std::size_t kLeast = 4096;
  if (spans_.size() >= std::max(kLeast, 2 * joined_)) join();
}

/// One span for those that touch.
void BusyTime::join() {
  std::sort(spans_.begin(), spans_.end());
  std::size_t kept = 0;
  for (std::size_t i = 1; i < spans_.size(); ++i) {
    if (spans_[i].first <= spans_[kept].second) {
      spans_[kept].second = std::max(spans_[kept].second, spans_[i].second);
    } else {
      spans_[++kept] = spans_[i];
    }
  }
  if (!spans_.empty()) spans_.resize(kept + 1);
  joined_ = spans_.size();
  too_many_ = joined_ > kMostSpans;
  if (too_many_) spans_.clear();
}

std::optional<BusyTime::Sums> BusyTime::sums() {
  join();
  if (spans_.empty()) return std::nullopt;
  Sums sums;
  for (const auto& [start, end] : spans_) sums.busy += end - start;
  sums.whole = spans_.back().second - spans_.front().first;
  return sums;
}

}  // namespace simtrain
