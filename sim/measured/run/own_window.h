#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/measured/run/measured_run.h"

namespace simtrain {

/// The steps of a log that count where the window of the tool for such logs holds fewer: all but
/// the warm-up, which is the first fifth of them, at least one and at most `kMostWarmUp`; of a
/// single step none. Of a longer log the first `kMost` behind the warm-up count, so that memory
/// does not grow with it.
class OwnWindow {
 public:
  static constexpr std::size_t kMost = 1000;
  static constexpr std::size_t kMostWarmUp = 10;

  void add(const MeasuredStep& step);

  /// By number, none twice.
  [[nodiscard]] std::vector<MeasuredStep> steps() const;
  /// How many steps were left out before them.
  [[nodiscard]] std::size_t warm_up() const;
  [[nodiscard]] const RepeatedSteps& repeated() const { return repeated_; }

 private:
  std::map<std::int64_t, MeasuredStep> steps_;  ///< the first of the log
  RepeatedSteps repeated_;
};

}  // namespace simtrain
