#include "sim/core/input/csv_cells.h"

namespace simtrain {

bool CsvCells::read(std::string_view line) {
  cells_.clear();
  starts_.assign(1, 0);
  fault_.reset();
  if (line.find('"') != std::string_view::npos) return read_quoted(line);
  for (std::size_t comma = 0; (comma = line.find(',', starts_.back())) != std::string_view::npos;) {
    cells_.push_back(line.substr(starts_.back(), comma - starts_.back()));
    starts_.push_back(comma + 1);
  }
  cells_.push_back(line.substr(starts_.back()));
  return true;
}

bool CsvCells::read_quoted(std::string_view line) {
  unquoted_.assign(1, "");
  bool quoted = false;
  std::size_t opened = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    const std::size_t start = starts_.back();
    if (c == '"' && quoted && at + 1 < line.size() && line[at + 1] == '"') {
      unquoted_.back() += line[++at];
    } else if (c == '"') {
      if (!quoted && at > start)
        note(start, "has a quote inside a text that does not start with one");
      if (!quoted) opened = at;
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      unquoted_.emplace_back();
      starts_.push_back(at + 1);
    } else {
      if (!quoted && line[start] == '"')
        note(at, "must be a comma or the end of the line after a quoted text");
      unquoted_.back() += c;
    }
  }
  if (quoted) note(opened, "is a quoted text that does not end on its line");
  cells_.assign(unquoted_.begin(), unquoted_.end());
  return !quoted;
}

std::string csv_quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace simtrain
