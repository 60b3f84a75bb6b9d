#include "sim/output/text/json_parts.h"

namespace simtrain {

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

nlohmann::ordered_json breakdown_json(const Report& report) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [name, share] : EnumNames<Share>::rows) {
    json[std::string(name)] = part(report.breakdown, share);
  }
  return json;
}

nlohmann::ordered_json json_of(const ErrorSummary& errors) {
  return {{"points", errors.points},
          {"mean", errors.mean},
          {"median", errors.median},
          {"percentile_90", errors.percentile_90},
          {"bias", errors.bias}};
}

nlohmann::ordered_json summary_json(const ValidationSummary& summary) {
  return {{"rows", summary.rows},
          {"mean_absolute_error", summary.mean_absolute},
          {"largest_absolute_error", summary.largest_absolute},
          {"bias", summary.bias}};
}

}  // namespace simtrain
