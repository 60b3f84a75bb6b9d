#include <algorithm>

#include "sim/workload/schedule/rows/task_order.h"

namespace simtrain {
namespace {

/// 1F1B with the backward cut: from the stage's own number of input gradients on, each is followed
/// by a weight gradient, so that every stage holds what the first one holds.
std::vector<Task> h1_tasks(const PipelineShape& shape, int stage) {
  TaskOrder list(shape.micro_batches, 1);
  const int warm_up = std::min(shape.stages - 1 - stage, shape.micro_batches);
  for (int i = 0; i < warm_up; ++i) list.forward(0);
  for (int i = 0; i < shape.micro_batches; ++i) {
    list.forward(0);
    list.input_gradient(0);
    if (i >= stage) list.weight_gradient(0);
  }
  list.all_weight_gradients();
  return list.take();
}

}  // namespace

ScheduleRow zero_bubble_h1() {
  ScheduleRow row;
  row.kind = PipelineSchedule::zero_bubble_h1;
  row.meaning = "1F1B whose weight gradients fill the bubble, in the memory of 1F1B";
  row.tasks = h1_tasks;
  row.cuts_backward = true;
  return row;
}

}  // namespace simtrain
