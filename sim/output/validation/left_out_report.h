#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/study/fit/leave_out.h"

namespace simtrain {

/// Parts by what was left out.
using LeftOutResults = std::vector<std::pair<LeftOut, std::vector<LeftOutPart>>>;

/// Errors of each part and of all, and what share of the rows lies in the interval that its
/// prediction states.
std::string left_out_text(const LeftOutResults& results);

/// The same with every row, as `simtrain.left-out/1`.
std::string left_out_json(const LeftOutResults& results);

}  // namespace simtrain
