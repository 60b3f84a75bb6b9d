#pragma once

#include <cstdint>
#include <optional>

#include "sim/measured/run/run_builder.h"

namespace simtrain {

/// Step times of a log that has only when its lines were written: the time from a line to the next,
/// over the steps between the two.
class TimeBetween {
 public:
  static constexpr const char* kFirst =
      "is the first of its steps: the time of a step is that since the line before";

  /// The time of each of the steps since the line before; nothing for the first line, and for one
  /// that is not behind it, as after a restart.
  std::optional<double> seconds(std::int64_t step, double clock) {
    const bool follows = known_ && step > step_ && clock > clock_;
    const double each = follows ? (clock - clock_) / static_cast<double>(step - step_) : 0;
    known_ = true;
    step_ = step;
    clock_ = clock;
    return follows ? std::optional(each) : std::nullopt;
  }

 private:
  bool known_ = false;
  std::int64_t step_ = 0;
  double clock_ = 0;
};

}  // namespace simtrain
