#include "sim/output/validation_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/output/text_report.h"

namespace simtrain {
namespace {

std::string summary_text(const ValidationSummary& summary) {
  return fmt::format("{} rows, mean absolute error {:.2f} %, largest {:.2f} %, bias {:+.2f} %",
                     summary.rows, summary.mean_absolute * 100, summary.largest_absolute * 100,
                     summary.bias * 100);
}

nlohmann::ordered_json summary_json(const ValidationSummary& summary) {
  return {{"rows", summary.rows},
          {"mean_absolute_error", summary.mean_absolute},
          {"largest_absolute_error", summary.largest_absolute},
          {"bias", summary.bias}};
}

/// Rows of one table of one document stand together in the file.
std::vector<std::vector<ValidationRow>> by_table(const std::vector<ValidationRow>& rows) {
  std::vector<std::vector<ValidationRow>> tables;
  for (const ValidationRow& row : rows) {
    if (tables.empty() || tables.back().front().table != row.table ||
        tables.back().front().document != row.document) {
      tables.emplace_back();
    }
    tables.back().push_back(row);
  }
  return tables;
}

}  // namespace

std::string validation_text(const std::vector<ValidationRow>& rows) {
  std::string out;
  for (const auto& table : by_table(rows)) {
    out +=
        fmt::format("{} ({})\n", printable(table.front().table), printable(table.front().document));
    out += fmt::format("  {:<14}{:>14}{:>14}{:>10}\n", "row", "measured", "predicted", "error");
    for (const ValidationRow& row : table) {
      out += fmt::format("  {:<14}{:>12.3f} s{:>12.3f} s{:>+8.2f} %\n",
                         row.row.empty() ? "-" : printable(row.row), row.measured_s,
                         row.predicted_s, row.error() * 100);
    }
    out += fmt::format("  {}\n\n", summary_text(summarize(table)));
  }
  return out + fmt::format("All: {}\n", summary_text(summarize(rows)));
}

std::string validation_json(const std::vector<ValidationRow>& rows) {
  nlohmann::ordered_json json;
  json["schema"] = "simtrain.validation/1";
  json["summary"] = summary_json(summarize(rows));
  json["tables"] = nlohmann::ordered_json::array();
  for (const auto& table : by_table(rows)) {
    nlohmann::ordered_json figures = nlohmann::ordered_json::array();
    for (const ValidationRow& row : table) {
      figures.push_back({{"row", row.row},
                         {"printed", row.printed},
                         {"measured_s", row.measured_s},
                         {"predicted_s", row.predicted_s},
                         {"error", row.error()}});
    }
    json["tables"].push_back({{"document", table.front().document},
                              {"table", table.front().table},
                              {"scenario", table.front().scenario},
                              {"summary", summary_json(summarize(table))},
                              {"rows", std::move(figures)}});
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace simtrain
