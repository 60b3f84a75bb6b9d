#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/measured/run/measured_run.h"
#include "sim/measured/run/step_window.h"

namespace simtrain {

/// Collects the steps of a window as a log brings them. Of records with one number the last counts.
/// Holds what the window holds and little more, however often steps are repeated.
class StepTable {
 public:
  explicit StepTable(const StepWindow& window) : window_(window) {}

  void add(const MeasuredStep& step);

  /// By number, none twice.
  std::vector<MeasuredStep> take();
  [[nodiscard]] const RepeatedSteps& repeated() const { return repeated_; }

 private:
  void add_newest(const MeasuredStep& step);
  void compact();

  StepWindow window_;
  std::deque<MeasuredStep> steps_;  ///< in the order of the log since the last compact()
  std::size_t compact_at_ = 4096;
  RepeatedSteps repeated_;
};

}  // namespace simtrain
