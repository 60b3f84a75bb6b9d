#include <algorithm>

#include "sim/workload/schedule/schedule.h"

namespace simtrain {
namespace {

/// As many forwards as there are stages behind, then one forward and one backward in turn.
std::vector<Task> one_by_one_tasks(const PipelineShape& shape, int stage) {
  const int warm_up = std::min(shape.stages - stage - 1, shape.micro_batches);
  std::vector<Task> tasks;
  tasks.reserve(2 * static_cast<std::size_t>(shape.micro_batches));
  for (int forward = 0; forward < shape.micro_batches + warm_up; ++forward) {
    if (forward < shape.micro_batches) tasks.push_back({Phase::forward, forward, 0});
    if (forward >= warm_up) tasks.push_back({Phase::backward, forward - warm_up, 0});
  }
  return tasks;
}

}  // namespace

ScheduleRow one_forward_one_backward() {
  ScheduleRow row;
  row.kind = PipelineSchedule::one_forward_one_backward;
  row.meaning = "one forward, one backward, one chunk a stage";
  row.tasks = one_by_one_tasks;
  row.messages_may_block = true;
  return row;
}

}  // namespace simtrain
