#include <algorithm>

#include <fmt/format.h>

#include "sim/workload/schedule/rows/dual_pipe_order.h"

namespace simtrain {
namespace {

std::vector<Task> dual_pipe_tasks(const PipelineShape& shape, int stage) {
  const int from_end = std::min(stage, shape.stages - 1 - stage);
  return dual_pipe_order(shape.stages / 2, shape.micro_batches_of_copy(), from_end);
}

std::optional<ShapeRefusal> unlike_ends(const PipelineShape& shape) {
  if (shape.stages % 2 != 0) {
    return ShapeRefusal{"pipeline_model_parallel_size",
                        fmt::format("is {}, where dualpipe fills stages in pairs from both ends; "
                                    "an even number would do",
                                    shape.stages)};
  }
  if (shape.micro_batches % 2 != 0) {
    return ShapeRefusal{"pipeline_schedule",
                        fmt::format("dualpipe sends half of the micro-batches each way, which are "
                                    "{}; an even number would do",
                                    shape.micro_batches)};
  }
  if (shape.micro_batches >= 2 * shape.stages) return {};
  return ShapeRefusal{"pipeline_schedule",
                      fmt::format("dualpipe fills {} stages with {} micro-batches; {} or more "
                                  "would do",
                                  shape.stages, shape.micro_batches, 2 * shape.stages)};
}

}  // namespace

ScheduleRow dual_pipe() {
  ScheduleRow row;
  row.kind = PipelineSchedule::dual_pipe;
  row.meaning = "two copies of the model, from both ends, a forward and a backward as one";
  row.tasks = dual_pipe_tasks;
  row.placement = &kChunksFromBothEnds;
  row.copies = 2;
  row.cuts_backward = true;
  row.combines = true;
  row.refusal = unlike_ends;
  return row;
}

}  // namespace simtrain
