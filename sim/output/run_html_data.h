#pragma once

#include <string>

#include "sim/run/played.h"

namespace simtrain {

/// What web/run_page.js draws, as JSON: waterfall, pipeline, memory by stage, placement.
std::string run_page_data(const Played& played, const Report& report);

}  // namespace simtrain
