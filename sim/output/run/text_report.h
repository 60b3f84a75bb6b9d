#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/core/printable.h"
#include "sim/run/results/report.h"
#include "sim/study/what_if/scale.h"

namespace simtrain {

/// The report for people: 80 columns, units on every number. With a goal it gives what that
/// training run takes, else the days of 1T tokens.
std::string text_report(const Report& report, const std::optional<TrainingGoal>& goal = {});

/// The steps of a run in words, where faults come and go.
std::vector<std::string> in_row_texts(const Report& report);

/// "fits", "fits, but tight" or "does not fit".
std::string_view room_text(const Report& report);

/// The recipe as it was simulated, every key, as a scenario file: a section behind the report.
std::string recipe_text(const Report& report);

/// One line a row, for a scenario with a table; a second table where there is a goal.
std::string text_table(const std::vector<std::string>& row_names,
                       const std::vector<Report>& reports,
                       const std::optional<TrainingGoal>& goal = {});

}  // namespace simtrain
