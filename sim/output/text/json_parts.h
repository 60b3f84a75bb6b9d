#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "sim/study/validate/error_summary.h"
#include "sim/study/validate/validate.h"

namespace simtrain {

// Parts that several JSON outputs share.

/// A document as it is printed; bytes that are no UTF-8 are replaced.
std::string json_text(const nlohmann::ordered_json& json);

/// Seconds of a step by share.
nlohmann::ordered_json breakdown_json(const Report& report);

/// Points, mean, median, 90th percentile and bias.
nlohmann::ordered_json json_of(const ErrorSummary& errors);

/// Rows, mean and largest absolute error, bias.
nlohmann::ordered_json summary_json(const ValidationSummary& summary);

}  // namespace simtrain
