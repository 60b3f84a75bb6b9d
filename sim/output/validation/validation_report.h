#pragma once

#include <string>
#include <vector>

#include "sim/study/validate/validate.h"

namespace simtrain {

/// Mean and largest absolute error and the bias of some rows, in one line.
std::string summary_text(const ValidationSummary& summary);

/// For people: measured, predicted and error of every headline row, a summary and the growth of a
/// table, what the tables hold beside step times, one summary of all, and the bounds that are
/// broken. With `breakdown`, where the step of each row goes.
std::string validation_text(const std::vector<ValidationResult>& results, bool breakdown);

/// All of it as `simtrain.validation/1`.
std::string validation_json(const std::vector<ValidationResult>& results);

/// The step times of the headline tables of several files, and the errors of their figures of
/// measured memory.
std::vector<ValidationRow> headline_rows(const std::vector<ValidationResult>& results);
ValidationSummary memory_summary(const std::vector<ValidationResult>& results);

}  // namespace simtrain
