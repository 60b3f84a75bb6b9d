#pragma once

#include <string>
#include <vector>

#include "sim/study/validate.h"

namespace simtrain {

/// Measured, predicted and error of every row, a summary a table, and one of all.
std::string validation_text(const std::vector<ValidationRow>& rows);

/// The same as `simtrain.validation/1`.
std::string validation_json(const std::vector<ValidationRow>& rows);

}  // namespace simtrain
