#include "sim/study/validate.h"

#include <algorithm>
#include <cmath>

#include "sim/run/simulate.h"

namespace simtrain {

/// What kind of figure a document prints: the last step, the mean of a window of steps, or NeMo 1's
/// running mean.
enum class FigureKind { last_step, window_mean, running_mean_of_5 };

template <>
struct EnumNames<FigureKind> {
  static constexpr std::array rows{
      std::pair{std::string_view("last-step"), FigureKind::last_step},
      std::pair{std::string_view("window-mean"), FigureKind::window_mean},
      std::pair{std::string_view("running-mean-of-5"), FigureKind::running_mean_of_5}};
};

namespace {

struct FigureSpec {
  std::string row;        ///< of the scenario's table; missing for a scenario without one
  std::string step_time;  ///< seconds, digits as printed
  std::string rounding;
  SourcePlace where;
  template <class Visitor>
  void fields(Visitor& v) {
    v.optional("row", row);
    v("step_time", step_time);
    v("rounding", rounding);
  }
};

struct TableSpec {
  std::string table;
  FigureKind kind{};
  std::string scenario;
  std::vector<FigureSpec> rows;
  template <class Visitor>
  void fields(Visitor& v) {
    v("table", table);
    v("kind", kind);
    v("scenario", scenario);
    v("rows", rows);
  }
};

struct DocumentSpec {
  std::string document;
  std::string title;
  std::vector<TableSpec> tables;
  template <class Visitor>
  void fields(Visitor& v) {
    v("document", document);
    v("title", title);
    v("tables", tables);
  }
};

struct ValidationFile {
  std::string name;
  std::vector<DocumentSpec> documents;
  template <class Visitor>
  void fields(Visitor& v) {
    v("name", name);
    v("documents", documents);
  }
};

double printed_seconds(const FigureSpec& figure) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = figure.step_time;
  node.place = figure.where;
  return scalar_real(node, "step_time", {1e-6, 1e9});
}

}  // namespace

ValidationSummary summarize(const std::vector<ValidationRow>& rows) {
  ValidationSummary summary;
  summary.rows = rows.size();
  for (const ValidationRow& row : rows) {
    summary.mean_absolute += std::abs(row.error()) / static_cast<double>(rows.size());
    summary.bias += row.error() / static_cast<double>(rows.size());
    summary.largest_absolute = std::max(summary.largest_absolute, std::abs(row.error()));
  }
  return summary;
}

std::vector<ValidationRow> validate(const DataFolder& data, const std::string& path) {
  const auto file = read_yaml<ValidationFile>(load_yaml_file(path), "");
  std::vector<ValidationRow> result;
  for (const DocumentSpec& document : file.documents) {
    for (const TableSpec& table : document.tables) {
      const auto source = ScenarioSource::from_file(data.root() + "/scenarios/" + table.scenario);
      for (const FigureSpec& figure : table.rows) {
        const Report report = simulate(source.scenario(data, figure.row, {}));
        result.push_back({document.document, table.table, table.scenario, figure.row,
                          figure.step_time, printed_seconds(figure), report.step_time_s});
      }
    }
  }
  if (result.empty()) throw InputError({path}, "documents", "holds no rows");
  return result;
}

}  // namespace simtrain
