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

/// A line of a report that is indented by two columns, with its end; what does not fit goes on
/// below it, indented further.
std::string wrapped_line(std::string_view text);

}  // namespace simtrain
