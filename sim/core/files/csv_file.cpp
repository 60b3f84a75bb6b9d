#include "sim/core/files/csv_file.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/files/text_file.h"
#include "sim/core/input/csv_cells.h"

namespace simtrain {
namespace {

constexpr TextFileKind kCsvFile{"a CSV file", 64};

YamlNode row_of(const CsvCells& cells, const std::vector<std::string>& columns,
                const SourcePlace& place) {
  const auto place_of = [&](std::size_t at) {
    return SourcePlace{place.file, place.line, static_cast<int>(at) + 1};
  };
  if (const auto& fault = cells.fault())
    throw InputError(place_of(fault->at), "", std::string(fault->what));
  const std::vector<std::string_view>& texts = cells.all();
  if (texts.size() != columns.size()) {
    throw InputError(place, "",
                     fmt::format("has {} cells for {} columns", texts.size(), columns.size()));
  }
  YamlNode row;
  row.kind = YamlNode::Kind::map;
  row.place = place;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (texts[i].empty()) continue;
    YamlNode cell;
    cell.kind = YamlNode::Kind::scalar;
    cell.place = place_of(cells.start(i));
    cell.text = texts[i];
    row.entries.push_back({columns[i], cell.place, std::move(cell)});
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
  CsvCells cells;
  std::string_view rest = text;
  for (int line = 1; line == 1 || !rest.empty(); ++line) {
    const SourcePlace place{name, line, 1};
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view words = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (words.ends_with('\r')) words.remove_suffix(1);
    if (line > 1) {
      cells.read(words);
      rows.push_back(row_of(cells, columns, place));
    } else if (words != header) {
      throw InputError(place, "", fmt::format("must be the line of columns '{}'", header));
    }
  }
  return rows;
}

}  // namespace simtrain
