#include "sim/measured/logs/csv_cells.h"

namespace simtrain {

bool CsvCells::read(std::string_view text) {
  cells_.clear();
  if (text.find('"') != std::string_view::npos) return read_quoted(text);
  for (std::size_t comma = 0; (comma = text.find(',')) != std::string_view::npos;) {
    cells_.push_back(text.substr(0, comma));
    text.remove_prefix(comma + 1);
  }
  cells_.push_back(text);
  return true;
}

bool CsvCells::read_quoted(std::string_view text) {
  unquoted_.assign(1, "");
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' && quoted && at + 1 < text.size() && text[at + 1] == '"') {
      unquoted_.back() += text[++at];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      unquoted_.emplace_back();
    } else {
      unquoted_.back() += c;
    }
  }
  cells_.assign(unquoted_.begin(), unquoted_.end());
  return !quoted;
}

}  // namespace simtrain
