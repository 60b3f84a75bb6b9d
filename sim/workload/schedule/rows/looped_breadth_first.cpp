#include "sim/workload/schedule/schedule.h"

namespace simtrain {
namespace {

std::vector<Task> breadth_first_tasks(const PipelineShape& shape, int /*stage*/) {
  std::vector<Task> tasks;
  for (int chunk = 0; chunk < shape.chunks; ++chunk) {
    for (int i = 0; i < shape.micro_batches; ++i) tasks.push_back({Phase::forward, i, chunk});
  }
  for (int chunk = shape.chunks; chunk-- > 0;) {
    for (int i = shape.micro_batches; i-- > 0;) tasks.push_back({Phase::backward, i, chunk});
  }
  return tasks;
}

}  // namespace

ScheduleRow looped_breadth_first() {
  ScheduleRow row;
  row.kind = PipelineSchedule::looped_breadth_first;
  row.meaning = "all micro-batches through a chunk before the next, backward in reverse";
  row.least_chunks = 2;
  row.most_chunks = kAnyChunks;
  row.tasks = breadth_first_tasks;
  row.bounded = false;
  return row;
}

}  // namespace simtrain
