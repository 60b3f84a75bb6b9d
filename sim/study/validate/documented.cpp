#include "sim/study/validate/documented.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "sim/core/files/yaml_file.h"
#include "sim/study/validate/documented_fields.h"

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
  if (trend.from == trend.to)
    throw InputError(trend.where, "trend", fmt::format("goes from '{}' to itself", trend.from));
  std::vector<std::string> names;
  names.reserve(table.rows.size());
  for (const DocumentedRow& row : table.rows) {
    if (table.value(row, FigureName::step_time)) names.push_back(row.row);
  }
  for (const std::string& end : {trend.from, trend.to}) {
    if (std::find(names.begin(), names.end(), end) == names.end())
      throw InputError(
          trend.where, "trend",
          fmt::format("'{}' is no row with a step-time; {}", end, suggestion(end, names)));
  }
}

void check_figures(const DocumentedTable& table) {
  for (auto figure = table.figures.begin(); figure != table.figures.end(); ++figure) {
    const auto same = [&](const FigureSpec& other) { return other.figure == figure->figure; };
    if (std::any_of(table.figures.begin(), figure, same))
      throw InputError(table.where, "figures",
                       fmt::format("has {} twice", name_of(figure->figure)));
  }
}

void check_disputed(const DocumentedTable& table) {
  for (const DisputedFigure& disputed : table.disputed) {
    const auto same = [&](const FigureSpec& spec) { return spec.figure == disputed.figure; };
    if (std::none_of(table.figures.begin(), table.figures.end(), same))
      throw InputError(disputed.where, "disputed",
                       fmt::format("'{}' is no figure of the table", name_of(disputed.figure)));
  }
}

void check_rows(const DocumentedTable& table) {
  std::set<std::string> names;
  for (const DocumentedRow& row : table.rows) {
    if (!names.insert(row.row).second)
      throw InputError(row.where, "row", fmt::format("'{}' is given twice in the table", row.row));
  }
}

void check_table(DocumentedTable& table) {
  check_figures(table);
  check_disputed(table);
  check_rows(table);
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

std::string series_name(const std::string& group, Precision precision) {
  return fmt::format("{}:{}", group, name_of(precision));
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
