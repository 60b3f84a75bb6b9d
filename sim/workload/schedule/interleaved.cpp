#include <algorithm>

#include "sim/workload/schedule/schedule.h"

namespace simtrain {
namespace {

/// The `index`-th pass in one direction: groups of `stages` micro-batches, chunk after chunk, in
/// the backward with the chunks reversed.
Task virtual_pass(const PipelineShape& shape, Direction direction, int index) {
  const int group_passes = shape.stages * shape.chunks;
  const int group = index / group_passes;
  const int first = group * shape.stages;
  const int size = std::min(shape.stages, shape.micro_batches - first);
  const int inside = index - group * group_passes;
  const int chunk = inside / size;
  return {direction, first + inside % size,
          direction == Direction::forward ? chunk : shape.chunks - 1 - chunk};
}

/// Forward passes before the first backward: 2 (stages - stage - 1) + (chunks - 1) stages, at most
/// all of them.
int warm_up_passes(const PipelineShape& shape, int stage) {
  const int passes = 2 * (shape.stages - stage - 1) + (shape.chunks - 1) * shape.stages;
  return std::min(passes, shape.micro_batches * shape.chunks);
}

/// After the warm-up one forward and one backward in turn, which exchange their messages together.
std::vector<Task> interleaved_tasks(const PipelineShape& shape, int stage) {
  const int total = shape.micro_batches * shape.chunks;
  const int warm_up = warm_up_passes(shape, stage);
  std::vector<Task> tasks;
  tasks.reserve(2 * static_cast<std::size_t>(total));
  for (int pass = 0; pass < total + warm_up; ++pass) {
    if (pass < total) {
      tasks.push_back(virtual_pass(shape, Direction::forward, pass));
      tasks.back().with_next = pass >= warm_up;
    }
    if (pass >= warm_up) tasks.push_back(virtual_pass(shape, Direction::backward, pass - warm_up));
  }
  return tasks;
}

int stage_in_turn(const PipelineShape& shape, int model_chunk) {
  return model_chunk % shape.stages;
}

}  // namespace

ScheduleRow interleaved() {
  return {"interleaved", "1F1B over several chunks a stage, micro-batches in groups of stages",
          interleaved_tasks, stage_in_turn};
}

}  // namespace simtrain
