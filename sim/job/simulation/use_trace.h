#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sim/job/simulation/time_use.h"

namespace simtrain {

/// What a run does by the time at which it does it, in equal parts of its length. Steps of any
/// speed, also those that are lost later, are `training`.
class UseTrace {
 public:
  UseTrace(double length_s, std::size_t parts)
      : part_s_(length_s / static_cast<double>(parts)), parts_(parts) {}

  [[nodiscard]] double part_s() const { return part_s_; }
  /// By part: seconds by use, which sum to `part_s`.
  [[nodiscard]] const std::vector<UsedTime>& parts() const { return parts_; }

  void add(double start_s, double seconds, TimeUse use) {
    const double end = start_s + seconds;
    const std::size_t last = parts_.size() - 1;
    auto part = std::min(static_cast<std::size_t>(start_s / part_s_), last);
    for (; start_s < end; ++part) {
      const double until =
          part == last ? end : std::min(end, part_s_ * static_cast<double>(part + 1));
      if (until <= start_s) continue;  // rounding has put the start into the part before its own
      parts_[part][use] += until - start_s;
      start_s = until;
    }
  }

 private:
  double part_s_;
  std::vector<UsedTime> parts_;
};

}  // namespace simtrain
