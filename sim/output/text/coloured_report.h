#pragma once

#include <string>
#include <string_view>

namespace simtrain {

/// A text report with the escapes of a terminal that shows colours; without them it is the report,
/// byte for byte. Reports are written plain, and a line's form gives its kind:
///
/// - A heading is bold: the first line of the report, or of a paragraph that is indented below it
///   or is a table (its head has gaps of two columns).
/// - A bar, '#'s at the end of a line, has the colour of the share that the line begins with:
///   compute, exposed communication; waiting has none.
/// - A verdict is green, yellow or red: "fits", "fits, but tight", "does not fit", "outside" ...
///   where it is in a cell of its own, before a comma or a colon, or behind one.
std::string coloured_report(std::string_view report);

}  // namespace simtrain
