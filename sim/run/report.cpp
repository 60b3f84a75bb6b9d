#include "sim/run/report.h"

#include <algorithm>

namespace simtrain {

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
  return std::all_of(memory.begin(), memory.end(),
                     [this](const StageMemory& stage) { return stage.total() <= memory_capacity; });
}

bool Report::tight() const {
  return fits() && std::any_of(memory.begin(), memory.end(), [this](const StageMemory& stage) {
           return stage.likely() > memory_capacity;
         });
}

}  // namespace simtrain
