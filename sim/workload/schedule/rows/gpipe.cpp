#include "sim/workload/schedule/rows/task_order.h"

namespace simtrain {
namespace {

std::vector<Task> gpipe_tasks(const PipelineShape& shape, int /*stage*/) {
  TaskOrder list(shape.micro_batches, 1);
  for (int i = 0; i < shape.micro_batches; ++i) list.forward(0);
  for (int i = 0; i < shape.micro_batches; ++i) list.backward(0);
  return list.take();
}

}  // namespace

ScheduleRow gpipe() {
  ScheduleRow row;
  row.kind = PipelineSchedule::gpipe;
  row.meaning = "all forwards, then all backwards, one chunk a stage";
  row.tasks = gpipe_tasks;
  row.messages_may_block = true;
  row.bounded = false;
  return row;
}

}  // namespace simtrain
