#include "sim/job/specs/step_events.h"

#include <algorithm>

#include "sim/core/files/data_folder.h"
#include "sim/core/invariant.h"
#include "sim/job/specs/step_events_fields.h"

namespace simtrain {

double StepEvents::first_step_s(const std::string& software) const {
  const auto row = std::find_if(first_step.begin(), first_step.end(), [&](const FirstStep& first) {
    return !first.software || software.starts_with(*first.software);
  });
  invariant(row != first_step.end(), "the last row is of any software");
  return to_seconds(row->adds.value);
}

StepEvents load_step_events(const DataFolder& data) {
  auto events = data.load<StepEvents>("hardware", "steps", {data.root()}, "hardware");
  const auto any = std::find_if(events.first_step.begin(), events.first_step.end(),
                                [](const FirstStep& first) { return !first.software; });
  if (any == events.first_step.end() || any + 1 != events.first_step.end())
    throw InputError(events.where, "first_step",
                     "needs one row without software, and that one last; it is of all others");
  if (events.slow_least.value > events.slow_most.value)
    throw InputError(events.where, "slow_most", "is less than slow_least");
  return events;
}

}  // namespace simtrain
