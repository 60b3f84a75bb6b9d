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
    if (forward < shape.micro_batches) tasks.push_back({Direction::forward, forward, 0});
    if (forward >= warm_up) tasks.push_back({Direction::backward, forward - warm_up, 0});
  }
  return tasks;
}

int stage_of_only_chunk(const PipelineShape& /*shape*/, int model_chunk) { return model_chunk; }

}  // namespace

ScheduleRow one_forward_one_backward() {
  return {"1f1b", "one forward, one backward, one chunk a stage", one_by_one_tasks,
          stage_of_only_chunk};
}

}  // namespace simtrain
