#include "sim/workload/schedule/schedule.h"

#include <algorithm>
#include <array>

#include "sim/core/invariant.h"

namespace simtrain {

PipelineShape pipeline_shape(const Recipe& recipe, int micro_batches) {
  const ParallelismSpec& parallelism = recipe.parallelism;
  return {recipe.pp(),
          recipe.vp(),
          micro_batches,
          parallelism.pipeline_schedule,
          parallelism.microbatch_group_size_per_vp_stage,
          recipe.overlap.overlap_moe_expert_parallel_comm};
}

std::span<const ScheduleRow> schedule_rows() {
  static const std::array rows{one_forward_one_backward(),
                               interleaved(),
                               gpipe(),
                               looped_breadth_first(),
                               zero_bubble_h1(),
                               zero_bubble_h2(),
                               zero_bubble_v(),
                               v_half(),
                               v_min(),
                               dual_pipe_v(),
                               dual_pipe()};
  return rows;
}

const ScheduleRow& row_of(PipelineSchedule schedule) {
  const ScheduleRow& row = schedule_rows()[static_cast<std::size_t>(schedule)];
  invariant(row.kind == schedule, "schedule_rows are in the order of PipelineSchedule");
  return row;
}

const ScheduleRow& schedule_of(const PipelineShape& shape) {
  const auto usual = shape.chunks == 1 ? PipelineSchedule::one_forward_one_backward
                                       : PipelineSchedule::interleaved;
  return row_of(shape.schedule.value_or(usual));
}

bool overlaps_messages(const Recipe& recipe) {
  return recipe.overlap.overlap_p2p_comm && schedule_of(pipeline_shape(recipe, 1)).messages_overlap;
}

int PipelineShape::copies() const { return schedule_of(*this).copies; }

PipelineShape with_every_moment(PipelineShape shape) {
  if (!schedule_of(shape).bounded) return shape;
  constexpr int kGroups = 6;  // warm-up and its end take at most two each, one comes between
  const int group = shape.group_size() * shape.copies();
  const int beyond = shape.micro_batches - kGroups * group;
  if (beyond > group) shape.micro_batches = kGroups * group + beyond % group;
  return shape;
}

std::vector<std::span<const Task>> calls_of(std::span<const Task> tasks, bool overlapped) {
  std::vector<std::span<const Task>> calls;
  calls.reserve(tasks.size());
  for (std::size_t next = 0; next < tasks.size(); next += calls.back().size()) {
    std::size_t count = 1;
    while (tasks[next + count - 1].paired || (!overlapped && tasks[next + count - 1].with_next))
      ++count;
    calls.push_back(tasks.subspan(next, count));
  }
  return calls;
}

PipelineStage::PipelineStage(const PipelineShape& shape, int stage)
    : schedule_(schedule_of(shape)), shape_(shape), stage_(stage) {
  for (int chunk = 0; chunk < shape.parts() * shape.copies(); ++chunk) {
    if (schedule_.placement->stage_of(shape, chunk) != stage) continue;
    model_chunks_.push_back(chunk);
    ways_.push_back({way(chunk, -1), way(chunk, 1)});
  }
}

std::vector<Task> PipelineStage::tasks() const {
  std::vector<Task> tasks = schedule_.tasks(shape_, stage_);
  std::vector<bool> complete(model_chunks_.size(), false);
  for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) {
    if (!task->makes_weight_gradients()) continue;
    const auto chunk = static_cast<std::size_t>(task->chunk);
    task->completes = !complete[chunk];
    complete[chunk] = true;
  }
  for (std::size_t i = 0; shape_.combined && i + 1 < tasks.size(); ++i) {
    if (!tasks[i].paired) continue;
    tasks[i].beside = tasks[i + 1].chunk;
    tasks[i + 1].beside = tasks[i].chunk;
  }
  return tasks;
}

int PipelineStage::way(int model_chunk, int along_model) const {
  const int copies = shape_.copies();
  const int other = model_chunk + along_model * copies;
  if (other < 0 || other >= shape_.parts() * copies) return 0;
  return along_model > 0 ? schedule_.placement->step(shape_, model_chunk)
                         : -schedule_.placement->step(shape_, other);
}

int PipelineStage::source(const Task& task) const {
  if (task.forward()) return ways(task.chunk).before;
  return task.sends_gradient() ? ways(task.chunk).next : 0;
}

int PipelineStage::goal(const Task& task) const {
  if (task.forward()) return ways(task.chunk).next;
  return task.sends_gradient() ? ways(task.chunk).before : 0;
}

bool PipelineStage::meets(int step) const {
  return std::any_of(ways_.begin(), ways_.end(),
                     [step](const Ways& ways) { return ways.before == step || ways.next == step; });
}

}  // namespace simtrain
