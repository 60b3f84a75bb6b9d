#pragma once

#include <string>

#include "sim/run/simulated_step.h"

namespace simtrain {

/// What web/run_page.js draws, as JSON: waterfall, pipeline, memory by stage, placement.
std::string run_page_data(const SimulatedStep& simulated, const Report& report);

}  // namespace simtrain
