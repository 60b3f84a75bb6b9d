#pragma once

#include <string>

#include "sim/output/difference/run_difference.h"

namespace simtrain {

/// Two runs side by side for people: headline figures, parts of the step, keys that differ, memory.
/// 80 columns, units on every number.
std::string difference_text(const RunDifference& difference);

/// Schema `simtrain.difference/1`: both results, parts with their change, keys that differ.
std::string difference_json(const RunDifference& difference);

/// The same as one HTML page without other files, with a waterfall from the step time of the one to
/// that of the other.
std::string difference_html(const RunDifference& difference);

}  // namespace simtrain
