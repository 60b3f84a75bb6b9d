#pragma once

#include <algorithm>
#include <vector>

#include "sim/run/engine/executor.h"
#include "sim/run/step/pass_bursts.h"
#include "sim/run/step/planned_step.h"

namespace simtrain::testing {

/// A step beside itself with all its periods simulated, as it is where its plan could change on the
/// way.
struct RepeatedPeriods {
  bool same = false;        ///< to the last bit
  double share = 0;         ///< of the events, that were not simulated
  bool one_by_one = false;  ///< transfers inside its passes meet others one by one
};

inline bool same_spans(const std::vector<Span>& one, const std::vector<Span>& other) {
  return std::equal(
      one.begin(), one.end(), other.begin(), other.end(),
      [](const Span& a, const Span& b) { return a.start == b.start && a.end == b.end; });
}

inline RepeatedPeriods repeated_periods(const Scenario& asked, bool unfold = false) {
  const PlannedStep planned = plan_step(asked, {unfold});
  const PlanBursts bursts = pass_bursts(planned);
  const Timeline timeline = execute(planned.plan, {}, bursts);
  const Timeline whole = execute_phases({{{}, 0, &planned.plan, &bursts}}).timeline;
  const bool same = timeline.events == whole.events && timeline.end == whole.end &&
                    whole.repeated == 0 &&
                    std::equal(timeline.spans.begin(), timeline.spans.end(), whole.spans.begin(),
                               whole.spans.end(), same_spans);
  return {same, static_cast<double>(timeline.repeated) / static_cast<double>(timeline.events),
          !bursts.empty()};
}

}  // namespace simtrain::testing
