#include "sim/run/report.h"

#include <algorithm>

namespace simtrain {

double Report::peak_bytes() const {
  double peak = 0;
  for (const StageMemory& stage : memory) peak = std::max(peak, stage.allocated());
  return peak;
}

bool Report::fits() const {
  return std::all_of(memory.begin(), memory.end(),
                     [this](const StageMemory& stage) { return stage.total() <= memory_capacity; });
}

}  // namespace simtrain
