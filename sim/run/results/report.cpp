#include "sim/run/results/report.h"

#include <algorithm>

namespace simtrain {

std::int64_t Report::tokens_per_step() const {
  const TrainingSpec& training = recipe.keys.training;
  return training.seq_length * training.global_batch_size;
}

double Report::peak_bytes() const {
  double peak = 0;
  for (const StageMemory& stage : memory) peak = std::max(peak, stage.allocated());
  return peak;
}

double Report::kept_bytes() const {
  double kept = 0;
  for (const StageMemory& stage : memory) kept = std::max(kept, stage.kept());
  return kept;
}

const StageMemory& Report::fullest_stage() const {
  return *std::max_element(memory.begin(), memory.end(),
                           [](const auto& a, const auto& b) { return a.total() < b.total(); });
}

bool Report::fits() const {
  return room_of(memory, memory_capacity) != Room::none && (!host_memory || host_memory->fits());
}

bool Report::tight() const { return fits() && room_of(memory, memory_capacity) == Room::tight; }

}  // namespace simtrain
