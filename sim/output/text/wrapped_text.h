#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace simtrain {

/// How wide text reports are.
inline constexpr std::size_t kReportColumns = 80;

/// `text`, whose first line begins in column `column`, broken at spaces into lines that fit a
/// report; those after the first are indented by `indent`.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t column);

/// The same behind a label that is as wide as the indentation.
inline std::string wrapped(std::string_view text, std::size_t indent) {
  return wrapped(text, indent, indent);
}

/// A line of a report that is indented by `indent` columns, with its end; what does not fit goes on
/// below it, indented by two more.
std::string wrapped_line(std::string_view text, std::size_t indent = 2);

/// Adds a line of a report's head: a label, and `text` in a column of its own.
void labelled_line(std::string& out, std::string_view label, std::string_view text);

/// The start of a text with "..." where it is longer than `width` bytes; no character is cut.
std::string shortened(const std::string& text, std::size_t width);

}  // namespace simtrain
