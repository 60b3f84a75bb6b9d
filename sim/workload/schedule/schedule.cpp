#include "sim/workload/schedule/schedule.h"

#include <array>

namespace simtrain {

std::span<const ScheduleRow> schedule_rows() {
  static const std::array rows{one_forward_one_backward(), interleaved()};
  return rows;
}

const ScheduleRow& schedule_of(const PipelineShape& shape) {
  return schedule_rows()[shape.chunks == 1 ? 0 : 1];
}

PipelineStage::PipelineStage(const PipelineShape& shape, int stage)
    : schedule_(schedule_of(shape)), shape_(shape), stage_(stage) {
  for (int chunk = 0; chunk < shape.stages * shape.chunks; ++chunk) {
    if (schedule_.stage_of(shape, chunk) == stage) model_chunks_.push_back(chunk);
  }
}

/// To the stage of the model's next chunk (1) or of the one before (-1). In a ring of two stages
/// both ways end at the same one; activations go the way of the model.
int PipelineStage::way(const Task& task, int along_model) const {
  const int other = model_chunks_[static_cast<std::size_t>(task.chunk)] + along_model;
  if (other < 0 || other >= shape_.stages * shape_.chunks) return 0;
  const int there = schedule_.stage_of(shape_, other);
  if (there == stage_) return 0;
  const auto reaches = [&](int step) {
    return (stage_ + step + shape_.stages) % shape_.stages == there;
  };
  return reaches(along_model) ? along_model : -along_model;
}

}  // namespace simtrain
