#include <algorithm>

#include <fmt/format.h>

#include "sim/workload/schedule/schedule.h"

namespace simtrain {
namespace {

/// The `index`-th pass in one direction: groups of micro-batches, chunk after chunk, in the
/// backward with the chunks reversed. The last group may be smaller.
Task virtual_pass(const PipelineShape& shape, Phase phase, int index) {
  const int group_passes = shape.group_size() * shape.chunks;
  const int group = index / group_passes;
  const int first = group * shape.group_size();
  const int size = std::min(shape.group_size(), shape.micro_batches - first);
  const int inside = index - group * group_passes;
  const int chunk = inside / size;
  return {phase, first + inside % size, phase == Phase::forward ? chunk : shape.chunks - 1 - chunk};
}

/// Forward passes before the first backward: 2 (stages - stage - 1) + (chunks - 1) groups, combined
/// one more, at most all of them.
int warm_up_passes(const PipelineShape& shape, int stage) {
  const int passes = 2 * (shape.stages - stage - 1) + (shape.chunks - 1) * shape.group_size() +
                     (shape.combined ? 1 : 0);
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
      tasks.push_back(virtual_pass(shape, Phase::forward, pass));
      tasks.back().with_next = pass >= warm_up;
      tasks.back().paired = shape.combined && pass >= warm_up;
    }
    if (pass >= warm_up) tasks.push_back(virtual_pass(shape, Phase::backward, pass - warm_up));
  }
  return tasks;
}

/// Megatron's rules of groups (core/pipeline_parallel/schedules.py).
std::optional<ShapeRefusal> refused_groups(const PipelineShape& shape) {
  if (!shape.micro_batch_group) {
    if (shape.micro_batches % shape.stages == 0) return {};
    return ShapeRefusal{"virtual_pipeline_model_parallel_size",
                        fmt::format("interleaves {} micro-batches, no multiple of PP {}",
                                    shape.micro_batches, shape.stages)};
  }
  const int group = *shape.micro_batch_group;
  constexpr std::string_view kKey = "microbatch_group_size_per_vp_stage";
  if (group < shape.stages || group > shape.micro_batches)
    return ShapeRefusal{kKey, fmt::format("is {}; from PP {} to the {} micro-batches would do",
                                          group, shape.stages, shape.micro_batches)};
  const int rest = shape.micro_batches % group;
  if (rest == 0 || rest >= shape.stages) return {};
  return ShapeRefusal{
      kKey, fmt::format("is {}, which leaves {} of {} micro-batches for the last group, fewer than "
                        "PP {}; a divisor of {} would do",
                        group, rest, shape.micro_batches, shape.stages, shape.micro_batches)};
}

}  // namespace

ScheduleRow interleaved() {
  ScheduleRow row;
  row.kind = PipelineSchedule::interleaved;
  row.meaning = "1F1B over several chunks a stage, micro-batches in groups of stages";
  row.least_chunks = 2;
  row.most_chunks = kAnyChunks;
  row.tasks = interleaved_tasks;
  row.messages_may_block = true;
  row.calls_together = true;
  row.takes_groups = true;
  row.combines = true;
  row.refusal = refused_groups;
  return row;
}

}  // namespace simtrain
