#include <fmt/format.h>

#include "sim/workload/schedule/rows/dual_pipe_order.h"

namespace simtrain {
namespace {

std::vector<Task> dual_pipe_v_tasks(const PipelineShape& shape, int stage) {
  return dual_pipe_order(shape.stages, shape.micro_batches, stage);
}

std::optional<ShapeRefusal> too_few_micro_batches(const PipelineShape& shape) {
  if (shape.micro_batches >= 2 * shape.stages) return {};
  return ShapeRefusal{"pipeline_schedule",
                      fmt::format("dualpipe_v fills {} stages with {} micro-batches; {} or more "
                                  "would do",
                                  shape.stages, shape.micro_batches, 2 * shape.stages)};
}

}  // namespace

ScheduleRow dual_pipe_v() {
  ScheduleRow row;
  row.kind = PipelineSchedule::dual_pipe_v;
  row.meaning = "two chunks a stage in a V, a forward and a backward as one (their cost added)";
  row.least_chunks = row.most_chunks = 2;
  row.tasks = dual_pipe_v_tasks;
  row.placement = &kChunksInV;
  row.cuts_backward = true;
  row.combines = true;
  row.refusal = too_few_micro_batches;
  return row;
}

}  // namespace simtrain
