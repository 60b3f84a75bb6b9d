#include <algorithm>

#include "sim/workload/schedule/schedule.h"

namespace simtrain {
namespace {

/// As many forwards as there are stages behind (combined one more), then one forward and one
/// backward in turn.
std::vector<Task> one_by_one_tasks(const PipelineShape& shape, int stage) {
  const int behind = shape.stages - stage - 1 + (shape.combined ? 1 : 0);
  const int warm_up = std::min(behind, shape.micro_batches);
  std::vector<Task> tasks;
  tasks.reserve(2 * static_cast<std::size_t>(shape.micro_batches));
  for (int forward = 0; forward < shape.micro_batches + warm_up; ++forward) {
    if (forward < shape.micro_batches) {
      tasks.push_back({Phase::forward, forward, 0});
      tasks.back().paired = shape.combined && forward >= warm_up;
    }
    if (forward >= warm_up) tasks.push_back({Phase::backward, forward - warm_up, 0});
  }
  return tasks;
}

/// Megatron combines passes of several stages only where they are interleaved.
std::optional<ShapeRefusal> refused_pairs(const PipelineShape& shape) {
  if (!shape.combined || shape.stages == 1) return {};
  return ShapeRefusal{"virtual_pipeline_model_parallel_size",
                      "is 1, where overlap.overlap_moe_expert_parallel_comm needs several chunks a "
                      "stage; 2 would do"};
}

}  // namespace

ScheduleRow one_forward_one_backward() {
  ScheduleRow row;
  row.kind = PipelineSchedule::one_forward_one_backward;
  row.meaning = "one forward, one backward, one chunk a stage";
  row.tasks = one_by_one_tasks;
  row.messages_may_block = true;
  row.messages_overlap = false;  // Megatron refuses to, and its arguments switch it off
  row.combines = true;
  row.refusal = refused_pairs;
  return row;
}

}  // namespace simtrain
