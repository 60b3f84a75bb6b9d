#pragma once

#include <vector>

#include "sim/workload/plan/memory/memory.h"
#include "sim/workload/schedule/schedule.h"
#include "sim/workload/schedule/stage_layout.h"

// stage_memory() in parts, for searches of many plans that share them.

namespace simtrain {

/// What the memory of a stage depends on of its pipeline alone.
struct StageOrder {
  std::vector<ChunkLayout> chunks;
  std::vector<Task> tasks;  ///< so many that every mix of passes under way is among them
  int neighbours = 0;       ///< stages that it exchanges messages with
};

/// By stage. Recipes of one pipeline shape and split of the layers have the same.
std::vector<StageOrder> stage_orders(const Recipe& recipe, int micro_batches);

/// Of a recipe whose parts are added up already.
std::vector<StageMemory> stage_memory(const Recipe& recipe, const ModelTotals& totals,
                                      const GpuSpec& gpu, const RankGrid& grid,
                                      const std::vector<StageOrder>& orders);

}  // namespace simtrain
