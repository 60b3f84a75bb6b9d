#include <algorithm>

#include "sim/workload/schedule/rows/task_order.h"

namespace simtrain {
namespace {

void forward_and_cut_backward(TaskOrder& list, int chunk) {
  list.forward(chunk);
  list.input_gradient(chunk);
  list.weight_gradient(chunk);
}

/// PyTorch's ScheduleZBVZeroBubble. It is written for 2 PP - 1 micro-batches or more; of fewer the
/// tasks of those that are not there are left out.
std::vector<Task> zero_bubble_v_tasks(const PipelineShape& shape, int stage) {
  const int all = std::max(2 * shape.stages - 1, shape.micro_batches);
  const int behind = shape.stages - stage;
  TaskOrder list(shape.micro_batches, 2);
  for (int i = 0; i < 2 * behind - 1; ++i) list.forward(kChunkDown);
  for (int i = 0; i < stage; ++i) {
    list.forward(kChunkUp);
    list.forward(kChunkDown);
  }
  for (int i = 0; i < behind; ++i) forward_and_cut_backward(list, kChunkUp);
  while (list.forwards(kChunkDown) < all || list.forwards(kChunkUp) < all) {
    if (list.forwards(kChunkDown) < all) list.forward(kChunkDown);
    list.input_gradient(kChunkDown);
    list.weight_gradient(kChunkDown);
    forward_and_cut_backward(list, kChunkUp);
  }
  for (int i = 0; i < stage; ++i) {
    list.input_gradient(kChunkDown);
    list.input_gradient(kChunkUp);
  }
  for (int i = 0; i < behind; ++i) {
    list.input_gradient(kChunkDown);
    list.weight_gradient(kChunkDown);
  }
  for (int i = 0; i < all; ++i) list.weight_gradient(kChunkUp);
  list.all_weight_gradients();
  return list.take();
}

}  // namespace

ScheduleRow zero_bubble_v() {
  ScheduleRow row;
  row.kind = PipelineSchedule::zero_bubble_v;
  row.meaning = "two chunks a stage in a V, no bubble inside where F, I and W are of one length";
  row.least_chunks = row.most_chunks = 2;
  row.tasks = zero_bubble_v_tasks;
  row.placement = &kChunksInV;
  row.cuts_backward = true;
  return row;
}

}  // namespace simtrain
