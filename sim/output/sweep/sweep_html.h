#pragma once

#include <string>

#include "sim/output/sweep/sweep_table.h"

namespace simtrain {

/// The page of a sweep (html.h): headline figures, the best plans, a map of the best for each pair
/// of keys, fronts of time against memory and GPU hours, the rows to sort and filter, and why
/// candidates were skipped. A sweep that was stopped has the page of what is done.
std::string sweep_html(const SweepTable& table);

}  // namespace simtrain
