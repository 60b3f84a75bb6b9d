#pragma once

#include <vector>

#include "sim/workload/plan/memory/memory.h"

namespace simtrain {

/// stage_memory() of a recipe whose parts are added up already, for searches of many plans that
/// share them.
std::vector<StageMemory> stage_memory(const Recipe& recipe, const ModelTotals& totals,
                                      const GpuSpec& gpu, const RankGrid& grid);

}  // namespace simtrain
