#include "sim/workload/schedule/rows/v_pattern.h"

namespace simtrain {
namespace {

std::vector<Task> v_min_tasks(const PipelineShape& shape, int stage) {
  const int stages = shape.stages;
  const int shift = stages % 3 == 0 ? 2 : 0;
  return v_pattern(shape.micro_batches, {.forward_down = stage,
                                         .forward_up = 2 * stages - stage - 1,
                                         .input_gradient_up = 2 * stages + shift + stage,
                                         .input_gradient_down = 4 * stages + shift - stage - 1});
}

}  // namespace

ScheduleRow v_min() {
  ScheduleRow row;
  row.kind = PipelineSchedule::v_min;
  row.meaning = "two chunks a stage in a V, in about a third of the memory of 1F1B";
  row.least_chunks = row.most_chunks = 2;
  row.tasks = v_min_tasks;
  row.placement = &kChunksInV;
  row.cuts_backward = true;
  return row;
}

}  // namespace simtrain
