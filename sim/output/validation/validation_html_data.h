#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/study/validate/validate.h"

namespace simtrain {

/// What web/validation_page.js draws: errors of the step times of headline tables, predicted over
/// measured, and where the steps of each table go.
nlohmann::ordered_json validation_page_data(const std::vector<ValidationResult>& results);

/// The same breakdown of a table as its shares by name, and a row a run.
nlohmann::ordered_json breakdown_rows(const TableResult& table);

/// How charts and tables call a row.
std::string row_name(const RunResult& run);

}  // namespace simtrain
