#include "sim/output/nccl/nccl_validation_report.h"

#include <functional>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "sim/output/text/json_parts.h"

namespace simtrain {
namespace {

constexpr double kLargeCall = 1 << 20;

using Key = std::tuple<std::string, std::string, CurveUse>;
using Groups = std::map<Key, std::vector<const CurvePoint*>>;

CurveSummary sizes_summary(const std::vector<const CurvePoint*>& points, bool large) {
  std::vector<const CurvePoint*> chosen;
  for (const CurvePoint* point : points) {
    if ((point->bytes >= kLargeCall) == large) chosen.push_back(point);
  }
  return summarize(chosen);
}

Groups by_curve(const std::vector<CurvePoint>& points) {
  Groups groups;
  for (const CurvePoint& point : points)
    groups[{point.machine, point.collective, point.use}].push_back(&point);
  return groups;
}

std::string line(const std::string& machine, const std::string& collective, std::string_view use,
                 const std::vector<const CurvePoint*>& points) {
  const CurveSummary large = sizes_summary(points, true);
  const CurveSummary small = sizes_summary(points, false);
  std::string out = fmt::format("{:<16}{:<15}{:<6}", machine, collective, use);
  out += large.points == 0
             ? fmt::format("{:>5}{:>7}{:>6}{:>7}", 0, "-", "-", "-")
             : fmt::format("{:>5}{:>7.1f}{:>6.1f}{:>+7.1f}", large.points, large.median * 100,
                           large.percentile_90 * 100, large.bias * 100);
  out += small.points == 0 ? fmt::format("{:>6}{:>6}{:>6}", 0, "-", "-")
                           : fmt::format("{:>6}{:>6.1f}{:>6.1f}", small.points, small.median * 100,
                                         small.percentile_90 * 100);
  return out + "\n";
}

std::string nodes_class(int nodes) {
  return nodes == 1   ? "1 node"
         : nodes == 2 ? "2 nodes"
         : nodes <= 8 ? "3 to 8 nodes"
                      : "more nodes";
}

/// All rows by operation, by machine and by nodes, and all of them.
std::string closing_table(const std::vector<CurvePoint>& points) {
  using Named = std::map<std::string, std::vector<const CurvePoint*>>;
  Named operations;
  Named machines;
  Named nodes;
  std::vector<const CurvePoint*> all;
  for (const CurvePoint& point : points) {
    operations[point.collective].push_back(&point);
    machines[point.machine].push_back(&point);
    nodes[nodes_class(point.nodes)].push_back(&point);
    all.push_back(&point);
  }
  std::string out;
  for (const Named& kind : {operations, machines, nodes}) {
    for (const auto& [name, members] : kind) out += line("all", name, "all", members);
  }
  return out + line("all", "", "all", all);
}

}  // namespace

std::string nccl_validation_text(const std::vector<CurvePoint>& points) {
  std::string out =
      "Measured NCCL calls against predictions; errors are predicted over measured\n"
      "time, less one, in %\n\n";
  out += fmt::format("{:<37}{:>25}{:>18}\n", "", "1 MiB and more", "below");
  out +=
      fmt::format("{:<16}{:<15}{:<6}{:>5}{:>7}{:>6}{:>7}{:>6}{:>6}{:>6}\n", "machine", "collective",
                  "rows", "calls", "median", "90 %", "bias", "calls", "med.", "90 %");
  std::array<std::vector<const CurvePoint*>, 2> all;
  for (const auto& [key, members] : by_curve(points)) {
    const auto& [machine, collective, use] = key;
    out += line(machine, collective, name_of(use), members);
    for (const CurvePoint* point : members) all[static_cast<std::size_t>(use)].push_back(point);
  }
  for (const CurveUse use : {CurveUse::fitted, CurveUse::tested})
    out += line("all", "", name_of(use), all[static_cast<std::size_t>(use)]);
  return out + '\n' + closing_table(points);
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
