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

/// The shape of a recipe's pipeline with no more micro-batches than `tasks` of its stages need.
PipelineShape memory_shape(const Recipe& recipe, int micro_batches);
/// Recipes of one such shape and split of the layers have the same.
StageOrder stage_order(const Recipe& recipe, const PipelineShape& shape, int stage);

/// Of a stage of a recipe whose parts are added up already.
StageMemory memory_of_stage(const Recipe& recipe, const ModelTotals& totals, const GpuSpec& gpu,
                            const RankGrid& grid, const StageOrder& order);

}  // namespace simtrain
