#include "sim/workload/schedule/rows/v_pattern.h"

namespace simtrain {
namespace {

std::vector<Task> v_half_tasks(const PipelineShape& shape, int stage) {
  const int stages = shape.stages;
  const int shift = stages % 2 == 0 ? 3 : 0;
  return v_pattern(shape.micro_batches, {.forward_down = 2 * stage,
                                         .forward_up = 3 * stages - stage - 2,
                                         .input_gradient_up = 3 * stages + shift + 2 * stage - 1,
                                         .input_gradient_down = 6 * stages + shift - stage - 2});
}

}  // namespace

ScheduleRow v_half() {
  ScheduleRow row;
  row.kind = PipelineSchedule::v_half;
  row.meaning = "two chunks a stage in a V, in about half the memory of 1F1B";
  row.least_chunks = row.most_chunks = 2;
  row.tasks = v_half_tasks;
  row.placement = &kChunksInV;
  row.cuts_backward = true;
  return row;
}

}  // namespace simtrain
