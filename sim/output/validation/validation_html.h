#pragma once

#include <string>
#include <vector>

#include "sim/study/validate/validate.h"

namespace simtrain {

/// A validation as one HTML page without other files: the errors of all headline rows, the bounds
/// that are broken, and for each table every printed figure against the prediction and where each
/// step goes.
std::string validation_html(const std::vector<ValidationResult>& results);

}  // namespace simtrain
