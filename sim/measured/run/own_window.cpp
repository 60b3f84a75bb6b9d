#include "sim/measured/run/own_window.h"

#include <algorithm>
#include <iterator>

namespace simtrain {

void OwnWindow::add(const MeasuredStep& step) {
  const auto known = steps_.find(step.number);
  if (known != steps_.end()) {
    note_repeated(repeated_, known->second, step);
    known->second = step;
  } else if (steps_.size() < kMost + kMostWarmUp) {
    steps_.emplace(step.number, step);
  }
}

std::size_t OwnWindow::warm_up() const {
  constexpr std::size_t kPart = 5;
  if (steps_.size() < 2) return 0;
  return std::min((steps_.size() + kPart - 1) / kPart, kMostWarmUp);
}

std::vector<MeasuredStep> OwnWindow::steps() const {
  std::vector<MeasuredStep> behind;
  behind.reserve(steps_.size());
  const auto first = std::next(steps_.begin(), static_cast<std::ptrdiff_t>(warm_up()));
  std::transform(first, steps_.end(), std::back_inserter(behind),
                 [](const auto& entry) { return entry.second; });
  return behind;
}

}  // namespace simtrain
