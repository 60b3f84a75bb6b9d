#include "sim/output/nccl/nccl_validation_report.h"

#include <fmt/format.h>

#include "sim/output/nccl/curve_groups.h"
#include "sim/output/text/json_parts.h"

namespace simtrain {
namespace {

std::string line(const CurveGroup& group) {
  const auto& [machine, collective, use, large, small] = group;
  std::string out = fmt::format("{:<15} {:<15} {:<6}", machine, collective, use);
  out += large.points == 0
             ? fmt::format("{:>5}{:>7}{:>6}{:>6}", 0, "-", "-", "-")
             : fmt::format("{:>5}{:>7.1f}{:>6.1f}{:>+6.1f}", large.points, large.median * 100,
                           large.percentile_90 * 100, large.bias * 100);
  out += small.points == 0 ? fmt::format("{:>6}{:>6}{:>6}", 0, "-", "-")
                           : fmt::format("{:>6}{:>6.1f}{:>6.1f}", small.points, small.median * 100,
                                         small.percentile_90 * 100);
  return out + "\n";
}

}  // namespace

std::string nccl_validation_text(const std::vector<CurvePoint>& points) {
  std::string out =
      "Measured NCCL calls against predictions; errors are predicted over measured\n"
      "time, less one, in %\n\n";
  out += fmt::format("{:<38}{:>24}{:>18}\n", "", "1 MiB and more", "below");
  out +=
      fmt::format("{:<15} {:<15} {:<6}{:>5}{:>7}{:>6}{:>6}{:>6}{:>6}{:>6}\n", "machine",
                  "collective", "rows", "calls", "median", "90 %", "bias", "calls", "med.", "90 %");
  for (const CurveGroup& group : groups_by_curve(points)) out += line(group);
  out += '\n';
  for (const CurveGroup& group : groups_over_all(points)) out += line(group);
  return out;
}

nlohmann::ordered_json point_json(const CurvePoint& point) {
  return {{"machine", point.machine},
          {"collective", point.collective},
          {"gpus", point.gpus},
          {"nodes", point.nodes},
          {"bytes", point.bytes},
          {"measured_s", point.measured_s},
          {"predicted_s", point.predicted_s},
          {"error", point.error()},
          {"choice", point.choice},
          {"use", name_of(point.use)},
          {"source", point.source}};
}

std::string nccl_validation_json(const std::vector<CurvePoint>& points) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const CurvePoint& point : points) rows.push_back(point_json(point));
  return json_text({{"schema", "simtrain.nccl-validation/1"}, {"points", rows}});
}

}  // namespace simtrain
