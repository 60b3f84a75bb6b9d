#pragma once

#include <string>
#include <vector>

#include "sim/run/report.h"

namespace simtrain {

/// A text of the input for a terminal: control characters are shown as '?'.
std::string printable(std::string text);

/// The start of a text with "..." where it is longer than `width` bytes; no character is cut.
std::string shortened(const std::string& text, std::size_t width);

/// The report for people: 80 columns, units on every number.
std::string text_report(const Report& report);

/// One line a row, for a scenario with a table.
std::string text_table(const std::vector<std::string>& row_names,
                       const std::vector<Report>& reports);

}  // namespace simtrain
