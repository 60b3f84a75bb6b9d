#pragma once

#include <string>

namespace simtrain {

/// Every pipeline schedule, with its fewest chunks a stage, as an SVG: who runs which pass when, in
/// unit time (schedule/unit_step.h).
std::string schedules_svg(int stages, int micro_batches);

}  // namespace simtrain
