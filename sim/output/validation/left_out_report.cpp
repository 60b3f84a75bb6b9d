#include "sim/output/validation/left_out_report.h"

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/output/text/json_parts.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

std::string summary_line(const std::string& name, const LeftOutSummary& summary) {
  const ValidationSummary& errors = summary.errors;
  return fmt::format("  {:<24}{:>5}{:>7.2f} %{:>7.2f} %{:>+7.2f} %{:>7.0f} %{:>7.2f} %\n",
                     printable(name), errors.rows, errors.mean_absolute * 100,
                     errors.largest_absolute * 100, errors.bias * 100, summary.covered * 100,
                     summary.half_width * 100);
}

Json summary_json(const LeftOutSummary& summary) {
  Json json = summary_json(summary.errors);
  json["covered"] = summary.covered;
  json["half_width"] = summary.half_width;
  json["widening"] = summary.widening;
  return json;
}

Json part_json(const LeftOutPart& part) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    const ValidationRow& row = part.rows[i];
    rows.push_back({{"document", row.document},
                    {"table", row.table},
                    {"row", row.row},
                    {"measured_s", row.measured_s},
                    {"predicted_s", row.predicted_s},
                    {"low_s", part.intervals[i].low},
                    {"high_s", part.intervals[i].high},
                    {"error", row.error()},
                    {"covered", part.intervals[i].holds(row.measured_s)}});
  }
  return {{"name", part.name},
          {"converged", part.converged},
          {"values", part.values},
          {"summary", summary_json(summarize({part}))},
          {"rows", std::move(rows)}};
}

}  // namespace

std::string left_out_text(const LeftOutResults& results) {
  std::string out;
  for (const auto& [what, parts] : results) {
    out += fmt::format("Each {} predicted by a fit to the others\n", name_of(what));
    out += fmt::format("  {:<24}{:>5}{:>9}{:>9}{:>9}{:>9}{:>9}\n", "left out", "rows", "mean",
                       "max", "bias", "in 90 %", "+-");
    for (const LeftOutPart& part : parts) {
      out += summary_line(part.name, summarize({part}));
      if (!part.converged) out += "    not converged: the last steps still moved the values\n";
    }
    const LeftOutSummary all = summarize(parts);
    out += summary_line("all", all);
    out += fmt::format("  stated errors times {:.2f} would hold 90 %\n\n", all.widening);
  }
  return out +
         "in 90 %: rows whose measured step time lies in the interval that the\n"
         "prediction states; +-: mean half width of that interval\n";
}

std::string left_out_json(const LeftOutResults& results) {
  Json json{{"schema", "simtrain.left-out/1"}};
  for (const auto& [what, parts] : results) {
    Json list = Json::array();
    for (const LeftOutPart& part : parts) list.push_back(part_json(part));
    json["by_" + std::string(name_of(what))] = {{"summary", summary_json(summarize(parts))},
                                                {"parts", std::move(list)}};
  }
  return json_text(json);
}

}  // namespace simtrain
