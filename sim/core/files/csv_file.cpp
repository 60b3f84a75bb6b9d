#include "sim/core/files/csv_file.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/files/text_file.h"

namespace simtrain {
namespace {

constexpr TextFileKind kCsvFile{"a CSV file", 64};

/// Cuts one line into cells.
class Cells {
 public:
  Cells(std::string_view line, SourcePlace start) : line_(line), start_(std::move(start)) {}

  std::vector<YamlNode> take() {
    std::vector<YamlNode> cells;
    do {
      cells.push_back(next());
    } while (at_ < line_.size() && line_[at_++] == ',');
    return cells;
  }

 private:
  YamlNode next() {
    YamlNode cell;
    cell.kind = YamlNode::Kind::scalar;
    cell.place = place();
    cell.text = at_ < line_.size() && line_[at_] == '"' ? quoted() : plain();
    if (at_ < line_.size() && line_[at_] != ',')
      throw InputError(place(), "", "must be a comma or the end of the line after a quoted text");
    return cell;
  }

  std::string plain() {
    const std::size_t end = std::min(line_.find(',', at_), line_.size());
    const std::string_view text = line_.substr(at_, end - at_);
    if (text.find('"') != std::string_view::npos)
      throw InputError(place(), "", "has a quote inside a text that does not start with one");
    at_ = end;
    return std::string(text);
  }

  std::string quoted() {
    const SourcePlace opened = place();
    std::string text;
    for (++at_; at_ < line_.size(); ++at_) {
      if (line_[at_] != '"') {
        text += line_[at_];
      } else if (at_ + 1 < line_.size() && line_[at_ + 1] == '"') {
        text += line_[at_++];
      } else {
        ++at_;
        return text;
      }
    }
    throw InputError(opened, "", "is a quoted text that does not end on its line");
  }

  [[nodiscard]] SourcePlace place() const {
    return {start_.file, start_.line, static_cast<int>(at_) + 1};
  }

  std::string_view line_;
  SourcePlace start_;
  std::size_t at_ = 0;
};

YamlNode row_of(std::vector<YamlNode> cells, const std::vector<std::string>& columns,
                const SourcePlace& place) {
  if (cells.size() != columns.size()) {
    throw InputError(place, "",
                     fmt::format("has {} cells for {} columns", cells.size(), columns.size()));
  }
  YamlNode row;
  row.kind = YamlNode::Kind::map;
  row.place = place;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const SourcePlace cell = cells[i].place;
    if (!cells[i].text.empty()) row.entries.push_back({columns[i], cell, std::move(cells[i])});
  }
  return row;
}

}  // namespace

std::vector<YamlNode> load_csv_file(const std::string& path,
                                    const std::vector<std::string>& columns) {
  return load_csv_text(read_text_file(path, kCsvFile), path, columns);
}

std::vector<YamlNode> load_csv_text(const std::string& text, const std::string& name,
                                    const std::vector<std::string>& columns) {
  const auto header = fmt::format("{}", fmt::join(columns, ","));
  std::vector<YamlNode> rows;
  std::string_view rest = text;
  for (int line = 1; line == 1 || !rest.empty(); ++line) {
    const SourcePlace place{name, line, 1};
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view words = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (words.ends_with('\r')) words.remove_suffix(1);
    if (line > 1) {
      rows.push_back(row_of(Cells(words, place).take(), columns, place));
    } else if (words != header) {
      throw InputError(place, "", fmt::format("must be the line of columns '{}'", header));
    }
  }
  return rows;
}

}  // namespace simtrain
