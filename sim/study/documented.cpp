#include "sim/study/documented.h"

#include <algorithm>

#include <fmt/format.h>

namespace simtrain {
namespace {

std::optional<double> cell_value(const DocumentedRow& row, const std::string& text,
                                 const std::string& key) {
  if (text == "n/a") return std::nullopt;
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = text;
  node.place = row.where;
  return scalar_real(node, key, {1e-6, 1e15});
}

void read_values(const DocumentedTable& table, DocumentedRow& row) {
  if (row.printed.size() != table.figures.size())
    throw InputError(
        row.where, "printed",
        fmt::format("has {} cells for {} figures", row.printed.size(), table.figures.size()));
  row.values.reserve(row.printed.size());
  for (std::size_t i = 0; i < row.printed.size(); ++i) {
    const std::string key(name_of(table.figures[i].figure));
    row.values.push_back(cell_value(row, row.printed[i], key));
  }
  if (table.use == TableUse::headline && !table.value(row, FigureName::step_time))
    throw InputError(row.where, "printed", "has no step-time, which a headline table needs");
}

void check_trend(const DocumentedTable& table, const TrendSpec& trend) {
  std::vector<std::string> names;
  names.reserve(table.rows.size());
  for (const DocumentedRow& row : table.rows) names.push_back(row.row);
  for (const std::string& end : {trend.from, trend.to}) {
    if (std::find(names.begin(), names.end(), end) == names.end())
      throw InputError(trend.where, "trend",
                       fmt::format("'{}' is no row of the table; {}", end, suggestion(end, names)));
  }
}

void check_table(DocumentedTable& table) {
  for (DocumentedRow& row : table.rows) read_values(table, row);
  if (table.trend) check_trend(table, *table.trend);
}

}  // namespace

void scalar_quantity(const YamlNode& node, const std::string& key, Percent& value) {
  YamlNode number = node;
  if (!number.text.ends_with(" %"))
    throw InputError(node.place, key,
                     fmt::format("needs a number of percent such as '3 %', found {}", found(node)));
  number.text.resize(number.text.size() - 2);
  value.fraction = scalar_real(number, key, {0, 1e6}) / 100;
}

std::optional<double> DocumentedTable::value(const DocumentedRow& row, FigureName figure) const {
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (figures[i].figure == figure) return row.values[i];
  }
  return std::nullopt;
}

std::string DocumentedTable::printed(const DocumentedRow& row, FigureName figure) const {
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (figures[i].figure == figure) return row.printed[i];
  }
  return "";
}

DocumentedFile read_documented(const std::string& path) {
  auto file = read_yaml<DocumentedFile>(load_yaml_file(path), "");
  bool any = false;
  for (Document& document : file.documents) {
    for (DocumentedTable& table : document.tables) {
      check_table(table);
      any = any || !table.rows.empty();
    }
  }
  if (!any) throw InputError({path}, "documents", "holds no rows");
  return file;
}

}  // namespace simtrain
