#pragma once

#include <nlohmann/json.hpp>

#include "sim/run/analysis/waterfall.h"
#include "sim/run/results/report.h"
#include "sim/run/step/simulated_step.h"

namespace simtrain {

/// What web/run_page.js draws: waterfall, pipeline, memory by stage, placement.
nlohmann::ordered_json run_page_data(const SimulatedStep& simulated, const Report& report,
                                     const Waterfall& fall);

}  // namespace simtrain
