#pragma once

#include <vector>

#include "sim/run/planned_rank.h"
#include "sim/run/simulated_step.h"

namespace simtrain {

/// One rank of the job in a simulated step: with its spans, those of the simulated rank that
/// represents it.
class StepRank : public PlannedRank {
 public:
  StepRank(const SimulatedStep& simulated, int rank);

  [[nodiscard]] const Span& span(std::uint32_t op) const { return spans_[op]; }
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }

  /// When an op is `own` into its own time. An op that was slowed by what ran beside it is
  /// stretched evenly: the engine does not keep where it lost its time. One of a combined pair,
  /// whose pieces alone take longer, is compressed.
  [[nodiscard]] Duration at(std::uint32_t op, Duration own) const;

 private:
  const std::vector<Span>& spans_;
  std::vector<Duration> own_;  ///< by op of a combined pair: its pieces one after the other
};

}  // namespace simtrain
