#include "sim/workload/schedule/schedule.h"

#include <algorithm>

namespace simtrain {
namespace {

/// The `index`-th pass in one direction: groups of `stages` micro-batches, chunk after chunk.
StageAction virtual_pass(const ScheduleRequest& request, Direction direction, int index) {
  const int group_passes = request.stages * request.chunks;
  const int group = index / group_passes;
  const int first = group * request.stages;
  const int size = std::min(request.stages, request.micro_batches - first);
  const int inside = index - group * group_passes;
  const int chunk = inside / size;
  return {direction, first + inside % size,
          direction == Direction::forward ? chunk : request.chunks - 1 - chunk};
}

}  // namespace

int warm_up_passes(const ScheduleRequest& request) {
  const int after = request.stages - request.stage - 1;
  const int passes =
      request.chunks == 1 ? after : 2 * after + (request.chunks - 1) * request.stages;
  return std::min(passes, request.micro_batches * request.chunks);
}

std::vector<StageAction> pipeline_schedule(const ScheduleRequest& request) {
  const int total = request.micro_batches * request.chunks;
  const int warm_up = warm_up_passes(request);
  std::vector<StageAction> actions;
  actions.reserve(2 * static_cast<std::size_t>(total));
  for (int index = 0; index < warm_up; ++index) {
    actions.push_back(virtual_pass(request, Direction::forward, index));
  }
  for (int index = 0; index + warm_up < total; ++index) {
    actions.push_back(virtual_pass(request, Direction::forward, index + warm_up));
    actions.push_back(virtual_pass(request, Direction::backward, index));
  }
  for (int index = total - warm_up; index < total; ++index) {
    actions.push_back(virtual_pass(request, Direction::backward, index));
  }
  return actions;
}

}  // namespace simtrain
