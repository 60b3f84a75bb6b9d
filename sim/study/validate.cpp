#include "sim/study/validate.h"

#include <algorithm>
#include <cmath>

#include "sim/run/simulate.h"
#include "sim/study/documented.h"

namespace simtrain {

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
  const DocumentedFile file = read_documented(path);
  std::vector<ValidationRow> result;
  for (const Document& document : file.documents) {
    for (const DocumentedTable& table : document.tables) {
      if (table.use != TableUse::headline) continue;
      const auto source = ScenarioSource::from_file(data.root() + "/scenarios/" + table.scenario);
      for (const DocumentedRow& row : table.rows) {
        const Report report = simulate(source.scenario(data, row.row, {}));
        result.push_back({document.document, table.table, table.group, table.precision,
                          table.scenario, row.row, table.printed(row, FigureName::step_time),
                          *table.value(row, FigureName::step_time), report.step_time_s});
      }
    }
  }
  return result;
}

}  // namespace simtrain
