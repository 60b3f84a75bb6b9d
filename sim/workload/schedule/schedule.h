#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sim/topology/specs/gpu_spec.h"

namespace simtrain {

/// What pipeline schedules depend on.
struct PipelineShape {
  int stages = 1;
  int chunks = 1;  ///< virtual pipeline size: model chunks of each stage
  int micro_batches = 1;
};

/// One pass of a stage: a chunk's forward or backward for one micro-batch.
struct Task {
  Direction direction{};
  int micro_batch = 0;
  int chunk = 0;           ///< of the stage's own
  bool with_next = false;  ///< where messages block: exchanges them in one call with the next task
};

/// A pipeline schedule. Messages, stage programs, the memory walk and bounds follow from its tasks;
/// nobody asks for a schedule by name. Contract of `tasks`: every micro-batch goes through every
/// chunk of the stage once forward, then once backward, and stages that run their tasks in order,
/// each when its message is there, all come to their end.
struct ScheduleRow {
  std::string_view name;
  std::string_view meaning;  ///< one line
  /// The tasks of a stage in the order in which they run.
  std::vector<Task> (*tasks)(const PipelineShape& shape, int stage) = nullptr;
  /// The stage that holds a chunk; chunks are numbered through the model. Each holds `chunks`.
  int (*stage_of)(const PipelineShape& shape, int model_chunk) = nullptr;
};

/// Megatron core's (pipeline_parallel/schedules.py).
ScheduleRow one_forward_one_backward();
ScheduleRow interleaved();

std::span<const ScheduleRow> schedule_rows();

/// The schedule that Megatron runs for a shape: interleaved for more than one chunk a stage.
const ScheduleRow& schedule_of(const PipelineShape& shape);

/// A stage of a pipeline under the schedule of its shape.
class PipelineStage {
 public:
  PipelineStage(const PipelineShape& shape, int stage);

  [[nodiscard]] std::vector<Task> tasks() const { return schedule_.tasks(shape_, stage_); }
  /// From which stage the input of a task comes (activations forward, their gradients backward):
  /// 1 the next of the ring of stages, -1 the one before, 0 from none.
  [[nodiscard]] int source(const Task& task) const {
    return way(task, task.direction == Direction::forward ? -1 : 1);
  }
  /// To which one its output goes.
  [[nodiscard]] int goal(const Task& task) const {
    return way(task, task.direction == Direction::forward ? 1 : -1);
  }

 private:
  [[nodiscard]] int way(const Task& task, int along_model) const;

  const ScheduleRow& schedule_;
  PipelineShape shape_;
  int stage_;
  std::vector<int> model_chunks_;  ///< by own chunk
};

}  // namespace simtrain
