#pragma once

#include <vector>

#include "sim/run/engine/timeline.h"
#include "sim/workload/plan/memory/memory.h"

namespace simtrain {

/// From `time` on `bytes` are allocated, until the next point.
struct MemoryPoint {
  Duration time{};
  double bytes = 0;
};

/// What the allocator of a simulated rank holds over a step. Between steps it is the first point's.
struct RankMemory {
  int rank = 0;
  int stage = 0;
  std::vector<MemoryPoint> points;  ///< in the order of time, the first at 0, no two at one time

  [[nodiscard]] double peak() const;
};

/// Memory over the step, for each simulated rank of a simulated plan (`step_plan`, `execute`), in
/// their order. The activations of a pass are there from the start of its forward to the end of
/// its backward, the loss and a layer's working set while the passes run that need them, deferred
/// weight gradients until the flush. The peak is `StageMemory::allocated()` of the rank's stage.
std::vector<RankMemory> memory_timeline(const Recipe& recipe, const GpuSpec& gpu,
                                        const RankGrid& grid, const Plan& plan,
                                        const Timeline& timeline);

/// The same for the simulated rank at `place` of the plan alone.
RankMemory rank_memory(const Recipe& recipe, const GpuSpec& gpu, const RankGrid& grid,
                       const Plan& plan, const Timeline& timeline, std::size_t place);

}  // namespace simtrain
