#pragma once

#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/output/run/page/pipeline_picture.h"
#include "sim/run/results/report.h"
#include "sim/run/step/simulated_step.h"

namespace simtrain {

/// A part of a stage's memory.
struct MemoryPart {
  std::string_view name;
  double bytes = 0;
};
/// The parts of a stage, always the same ones; they sum to its total.
std::vector<MemoryPart> memory_parts(const StageMemory& stage);

/// Memory of each stage by part, for web/run_page.js: gigabytes (1e9) by stage.
nlohmann::ordered_json memory_json(const Report& report);

/// What the allocator of the first simulated rank of each stage holds at most in each of some
/// equal parts of a window, in gigabytes; by window and stage.
nlohmann::ordered_json memory_over_time(const SimulatedStep& simulated,
                                        const PipelinePicture& picture);

/// The table of the page about memory, a row a stage.
nlohmann::ordered_json memory_section(const Report& report);

}  // namespace simtrain
