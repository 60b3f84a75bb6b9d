#include "sim/output/profiles/profile_report.h"
#include "sim/output/profiles/profile_rows.h"
#include "sim/output/text/json_parts.h"

namespace simtrain {
namespace {

using nlohmann::ordered_json;

ordered_json number_or_null(const std::optional<double>& number) {
  return number ? ordered_json(*number) : ordered_json(nullptr);
}

ordered_json kernels_json(const ProfileComparison& comparison) {
  auto rows = ordered_json::array();
  for (const KernelRow& row : comparison.kernels) {
    rows.push_back({{"kind", name_of(row.kind)},
                    {"predicted_s", row.predicted.seconds},
                    {"predicted_waiting_s", row.predicted.waiting_s},
                    {"predicted_calls", row.predicted.calls},
                    {"measured_s", row.measured_s},
                    {"error", number_or_null(row.error())},
                    {"measured_calls", row.measured_calls}});
  }
  return rows;
}

ordered_json unclassified_json(const ProfileComparison& comparison) {
  auto rows = ordered_json::array();
  for (const ProfiledKernel& kernel : comparison.unclassified)
    rows.push_back({{"name", kernel.name}, {"calls", kernel.calls}, {"time_s", kernel.seconds}});
  return rows;
}

ordered_json calls_json(const ProfileComparison& comparison) {
  auto rows = ordered_json::array();
  for (const CallRow& row : comparison.calls) {
    ordered_json call = call_shape_json(row.shape);
    call["predicted"] = row.predicted;
    call["logged"] = row.logged;
    rows.push_back(std::move(call));
  }
  return rows;
}

ordered_json comparison_of(const ProfileComparison& comparison) {
  ordered_json json{{"rank", comparison.rank},
                    {"stage", comparison.stage},
                    {"rank_from", comparison.rank_from},
                    {"steps", comparison.steps},
                    {"steps_from", comparison.steps_from}};
  if (!comparison.process.empty()) {
    json["process"] = comparison.process;
    json["calls"] = calls_json(comparison);
    return json;
  }
  json["predicted_s"] = comparison.predicted_whole_s;
  json["predicted_busy_s"] = comparison.predicted_busy_s;
  json["measured_s"] = number_or_null(comparison.measured_whole_s);
  json["measured_busy_s"] = number_or_null(comparison.measured_busy_s);
  json["predicted_straggler_wait_s"] = comparison.straggler_wait_s;
  json["kernels"] = kernels_json(comparison);
  json["unclassified"] = unclassified_json(comparison);
  if (!comparison.calls.empty()) json["calls"] = calls_json(comparison);
  return json;
}

}  // namespace

std::string profile_json(const std::string& scenario, const std::vector<ProfileReport>& reports) {
  auto profiles = ordered_json::array();
  for (const ProfileReport& report : reports) {
    auto comparisons = ordered_json::array();
    for (const ProfileComparison& comparison : report.comparisons)
      comparisons.push_back(comparison_of(comparison));
    profiles.push_back({{"path", report.profile.path},
                        {"format", report.profile.format},
                        {"lines", report.profile.lines},
                        {"gpus", report.profile.gpus},
                        {"untold_calls", report.profile.unknown_calls},
                        {"incomplete", report.profile.incomplete},
                        {"skipped_lines", report.profile.skipped.count},
                        {"skipped_reasons", report.profile.skipped.reasons},
                        {"comparisons", std::move(comparisons)}});
  }
  return json_text({{"schema", "simtrain.profile/1"},
                    {"scenario", scenario},
                    {"profiles", std::move(profiles)}});
}

}  // namespace simtrain
