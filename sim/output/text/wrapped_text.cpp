#include "sim/output/text/wrapped_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/core/printable.h"

namespace simtrain {

std::string wrapped(std::string_view text, std::size_t indent, std::size_t column) {
  std::string result;
  for (bool first = true; !text.empty(); first = false) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (!first && column + 1 + end > kReportColumns) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      result += ' ';
      ++column;
    }
    result += text.substr(0, end);
    column += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string wrapped_line(std::string_view text, std::size_t indent) {
  return std::string(indent, ' ') + wrapped(text, indent + 2, indent) + "\n";
}

void labelled_line(std::string& out, std::string_view label, std::string_view text) {
  constexpr std::size_t kColumn = 20;
  out += fmt::format("  {:<{}}{}\n", label, kColumn - 2, wrapped(text, kColumn));
}

std::string shortened(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  return text.substr(0, cut_before(text, width - 3)) + "...";
}

}  // namespace simtrain
