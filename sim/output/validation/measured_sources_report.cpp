#include "sim/output/validation/measured_sources_report.h"

#include <fmt/format.h>

#include "sim/output/text/json_parts.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

std::string line(const MeasuredGroup& group) {
  return fmt::format("  {:<28}{:>5}{:>8.1f}{:>8.1f}{:>8.1f}{:>+8.1f}{:>6.0f}{:>7.0f}\n", group.name,
                     group.errors.points, group.errors.mean * 100, group.errors.median * 100,
                     group.errors.percentile_90 * 100, group.errors.bias * 100, group.covered * 100,
                     group.covered_others * 100);
}

Json group_json(const MeasuredGroup& group) {
  return {{"name", group.name},
          {"rows", group.errors.points},
          {"mean_absolute_error", group.errors.mean},
          {"median_absolute_error", group.errors.median},
          {"percentile_90", group.errors.percentile_90},
          {"bias", group.errors.bias},
          {"covered", group.covered},
          {"covered_source_left_out", group.covered_others}};
}

Json row_json(const MeasuredSourceRow& row) {
  const Interval interval = interval_90(row.predicted_s, row.error);
  return {{"source", row.source},
          {"scenario", row.scenario},
          {"row", row.row},
          {"framework", row.framework},
          {"year", row.year},
          {"gpu", row.gpu},
          {"precision", name_of(row.precision)},
          {"grade", name_of(row.grade)},
          {"stack", name_of(row.stack)},
          {"measured_s", row.measured_s},
          {"predicted_s", row.predicted_s},
          {"error", row.relative()},
          {"interval_90_s", {interval.low, interval.high}}};
}

}  // namespace

std::string measured_sources_text(const std::vector<MeasuredSourceRow>& rows) {
  std::string out =
      "Measured runs that no parameter is fitted to; errors are predicted over measured\n"
      "step time, less one, in %; inside: share of the runs inside their 90 % interval,\n"
      "as stated, and as the other sources would make it\n\n";
  out += fmt::format("  {:<28}{:>5}{:>8}{:>8}{:>8}{:>8}{:>6}{:>7}\n", "", "rows", "mean", "median",
                     "90 %", "bias", "in", "others");
  for (const MeasuredGrouping& grouping : measured_groupings(rows)) {
    out += grouping.by == "all" ? "" : fmt::format("by {}\n", grouping.by);
    for (const MeasuredGroup& group : grouping.groups) out += line(group);
  }
  return out;
}

std::string measured_sources_json(const std::vector<MeasuredSourceRow>& rows) {
  Json groupings = Json::array();
  for (const MeasuredGrouping& grouping : measured_groupings(rows)) {
    Json groups = Json::array();
    for (const MeasuredGroup& group : grouping.groups) groups.push_back(group_json(group));
    groupings.push_back({{"by", grouping.by}, {"groups", groups}});
  }
  Json runs = Json::array();
  for (const MeasuredSourceRow& row : rows) runs.push_back(row_json(row));
  return json_text(
      {{"schema", "simtrain.measured-validation/1"}, {"groupings", groupings}, {"rows", runs}});
}

}  // namespace simtrain
