#include <algorithm>

#include "sim/workload/schedule/rows/task_order.h"

namespace simtrain {
namespace {

/// Twice the warm-up, so that weight gradients fill all of the bubble; stages end one after the
/// other, as they began.
std::vector<Task> h2_tasks(const PipelineShape& shape, int stage) {
  TaskOrder list(shape.micro_batches, 1);
  const int warm_up = std::min(2 * (shape.stages - stage) - 1, shape.micro_batches);
  for (int i = 0; i < warm_up; ++i) list.forward(0);
  for (int i = 0; i < shape.micro_batches; ++i) {
    list.input_gradient(0);
    if (i >= 2 * stage) list.weight_gradient(0);
    list.forward(0);
  }
  list.all_weight_gradients();
  return list.take();
}

}  // namespace

ScheduleRow zero_bubble_h2() {
  ScheduleRow row;
  row.kind = PipelineSchedule::zero_bubble_h2;
  row.meaning = "the same with twice the warm-up and up to twice the memory";
  row.tasks = h2_tasks;
  row.cuts_backward = true;
  return row;
}

}  // namespace simtrain
