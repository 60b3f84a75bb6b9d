#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workload/model/piece.h"
#include "sim/workload/model/recipe.h"
#include "sim/workload/schedule/chunk_placement.h"

namespace simtrain {

/// What pipeline schedules depend on.
struct PipelineShape {
  int stages = 1;
  int chunks = 1;  ///< virtual pipeline size: model chunks of each stage
  int micro_batches = 1;
  std::optional<PipelineSchedule> schedule{};  ///< missing: what Megatron runs for the others
  /// Micro-batches of a chunk before the next chunk's, interleaved; missing: as many as stages.
  std::optional<int> micro_batch_group{};
  /// Forwards and backwards of the steady phase run as pairs that hide each other's exchange of
  /// tokens (Megatron's combined 1F1B), for which one more forward comes first.
  bool combined = false;

  [[nodiscard]] int group_size() const { return micro_batch_group.value_or(stages); }
  /// ScheduleRow::copies of its schedule.
  [[nodiscard]] int copies() const;
  /// Chunks of a copy of the model.
  [[nodiscard]] int parts() const { return stages * chunks; }
  /// Micro-batches that go through each copy.
  [[nodiscard]] int micro_batches_of_copy() const { return micro_batches / copies(); }
  friend auto operator<=>(const PipelineShape&, const PipelineShape&) = default;
};

/// The shape of a recipe's pipeline.
PipelineShape pipeline_shape(const Recipe& recipe, int micro_batches);

/// One pass of a stage: a chunk's forward, whole backward, input gradient or weight gradient for
/// one micro-batch.
struct Task {
  Phase phase{};
  int micro_batch = 0;     ///< of those that go through the chunk's copy of the model
  int chunk = 0;           ///< of the stage's own
  bool with_next = false;  ///< where messages block: exchanges them in one call with the next task
  /// A pair with the next task: both start when the messages of both are there, and send theirs
  /// when both are done.
  bool paired = false;
  /// Of a combined pair: the own chunk of the other task, set by PipelineStage; -1: of none.
  int beside = -1;
  bool completes = false;  ///< the chunk's weight gradients; set by PipelineStage

  [[nodiscard]] bool forward() const { return phase == Phase::forward; }
  /// Whether it makes the gradient that the chunk before waits for.
  [[nodiscard]] bool sends_gradient() const {
    return phase == Phase::backward || phase == Phase::input_gradient;
  }
  [[nodiscard]] bool makes_weight_gradients() const {
    return phase == Phase::backward || phase == Phase::weight_gradient;
  }
};

/// Why a schedule does not run a shape: a key of `parallelism` and a sentence with what would do.
struct ShapeRefusal {
  std::string_view key;
  std::string sentence;
};

inline constexpr int kAnyChunks = 1'000'000;

/// A pipeline schedule. Messages, stage programs, the memory walk and bounds follow from its tasks;
/// nobody asks for a schedule by name. A new one is a file with its row, its name in
/// PipelineSchedule and its line in schedule_rows. Contract of `tasks`, for shapes that are not
/// refused: every micro-batch goes through every chunk of the stage once forward, then once
/// backward, whole or as an input gradient before a weight gradient; two stages exchange a chunk's
/// messages in one order; and stages that run their tasks in order, each when its message is there,
/// all come to their end.
struct ScheduleRow {
  PipelineSchedule kind{};
  std::string_view meaning;  ///< one line
  int least_chunks = 1;      ///< of a stage
  int most_chunks = 1;
  /// The tasks of a stage in the order in which they run.
  std::vector<Task> (*tasks)(const PipelineShape& shape, int stage) = nullptr;
  const ChunkPlacement* placement = &kLoopedChunks;
  /// Of the model, which stages hold side by side: two go through the stages from both ends.
  int copies = 1;
  bool cuts_backward = false;  ///< some tasks are input gradients or weight gradients alone
  /// Whether stages that wait for each message to be taken come to their end; others need
  /// messages beside passes.
  bool messages_may_block = false;
  /// Whether messages may run beside passes (overlap.overlap_p2p_comm); otherwise they never do.
  bool messages_overlap = true;
  /// Data-parallel calls of a chunk are launched in the same slot on all stages (Megatron's
  /// param_sync_func and grad_sync_func), otherwise as soon as they can be.
  bool calls_together = false;
  bool takes_groups = false;  ///< PipelineShape::micro_batch_group is of it
  bool combines = false;      ///< PipelineShape::combined is of it
  /// What a stage holds at once does not grow with the micro-batches any more once there are
  /// several times as many as stages.
  bool bounded = true;
  /// Why a shape is refused whose number of chunks is right; null: for nothing.
  std::optional<ShapeRefusal> (*refusal)(const PipelineShape& shape) = nullptr;
};

/// Megatron core's (pipeline_parallel/schedules.py).
ScheduleRow one_forward_one_backward();
ScheduleRow interleaved();
/// PyTorch's (torch/distributed/pipelining/schedules.py).
ScheduleRow gpipe();
ScheduleRow looped_breadth_first();
ScheduleRow zero_bubble_v();
/// Of the zero-bubble fork of Megatron (Qi et al., arXiv 2401.10241 and 2405.15362).
ScheduleRow zero_bubble_h1();
ScheduleRow zero_bubble_h2();
ScheduleRow v_half();
ScheduleRow v_min();
/// Of the DualPipe repository (DeepSeek).
ScheduleRow dual_pipe_v();
ScheduleRow dual_pipe();

/// By kind.
std::span<const ScheduleRow> schedule_rows();
const ScheduleRow& row_of(PipelineSchedule schedule);

/// The schedule of a shape: the one that it names, or what Megatron runs: interleaved for more than
/// one chunk a stage.
const ScheduleRow& schedule_of(const PipelineShape& shape);

/// Whether a recipe's messages between stages run beside its passes.
bool overlaps_messages(const Recipe& recipe);

/// A shape of fewer micro-batches, if there are, whose stages hold the same at once: every mix of
/// passes under way beside every task. Each more of a bounded schedule repeats what is in its
/// middle.
PipelineShape with_every_moment(PipelineShape shape);

/// A stage's tasks dealt into calls: the tasks of one send what they made and receive what they
/// need together. Where passes hide messages (`overlapped`) only pairs do.
std::vector<std::span<const Task>> calls_of(std::span<const Task> tasks, bool overlapped);

/// A stage of a pipeline under the schedule of its shape.
class PipelineStage {
 public:
  PipelineStage(const PipelineShape& shape, int stage);

  [[nodiscard]] const ScheduleRow& schedule() const { return schedule_; }
  /// Numbers of the stage's chunks, those of all copies of the model (chunk_placement.h).
  [[nodiscard]] const std::vector<int>& model_chunks() const { return model_chunks_; }
  [[nodiscard]] std::vector<Task> tasks() const;
  /// From which stage the input of a task comes (activations forward, their gradients backward):
  /// 1 the next of the ring of stages, -1 the one before, 0 from none.
  [[nodiscard]] int source(const Task& task) const;
  /// To which one its output goes.
  [[nodiscard]] int goal(const Task& task) const;
  /// Whether it exchanges messages with the stage `step` on (1 or -1).
  [[nodiscard]] bool meets(int step) const;
  /// With how many of these two it does.
  [[nodiscard]] int neighbours() const { return (meets(-1) ? 1 : 0) + (meets(1) ? 1 : 0); }

 private:
  /// To the stages of the model's chunk before an own one and of the next.
  struct Ways {
    int before = 0;
    int next = 0;
  };
  [[nodiscard]] const Ways& ways(int chunk) const { return ways_[static_cast<std::size_t>(chunk)]; }
  [[nodiscard]] int way(int model_chunk, int along_model) const;

  const ScheduleRow& schedule_;
  PipelineShape shape_;
  int stage_;
  std::vector<int> model_chunks_;  ///< by own chunk
  std::vector<Ways> ways_;         ///< by own chunk
};

}  // namespace simtrain
