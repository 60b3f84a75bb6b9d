#include <nlohmann/json.hpp>

#include "sim/output/drawing/topology_report.h"
#include "sim/output/text/json_parts.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

Json cables_json(const ClusterFacts& facts) {
  Json rows = Json::array();
  for (const CableCount& cable : facts.cables) {
    rows.push_back({{"low", kind_name(cable.low)},
                    {"high", kind_name(cable.high)},
                    {"count", cable.count},
                    {"bandwidth_bytes_per_s", cable.bandwidth.value()},
                    {"latency_s", to_seconds(cable.latency)}});
  }
  return rows;
}

Json levels_json(const ClusterFacts& facts) {
  Json rows = Json::array();
  for (const LevelBandwidth& level : facts.levels) {
    Json row = {{"level", level_name(level)},
                {"total_bytes_per_s", level.total.value()},
                {"per_gpu_bytes_per_s", level.per_gpu.value()}};
    if (level.oversubscription > 0) row["oversubscription"] = level.oversubscription;
    rows.push_back(std::move(row));
  }
  return rows;
}

Json bisection_json(const Bisection& cut) {
  return {{"bandwidth_bytes_per_s", cut.bandwidth.value()},
          {"half_nics_bytes_per_s", cut.nics.value()},
          {"first_host", cut.first_host},
          {"hosts", cut.hosts},
          {"method", cut.method == BisectionMethod::max_flow ? "max-flow" : "level-arithmetic"}};
}

Json path_json(const RankPath& asked) {
  Json steps = Json::array();
  for (const auto& step : asked.path.steps) {
    Json ways = Json::array();
    for (const PathLink& way : step) {
      ways.push_back({{"from", way.from},
                      {"to", way.to},
                      {"bandwidth_bytes_per_s", way.bandwidth.value()},
                      {"latency_s", to_seconds(way.latency)},
                      {"share", way.share}});
    }
    steps.push_back(std::move(ways));
  }
  return {{"from_rank", asked.from_rank},
          {"to_rank", asked.to_rank},
          {"from_gpu", asked.from_gpu},
          {"to_gpu", asked.to_gpu},
          {"distance", distance_name(asked.path.distance)},
          {"latency_s", to_seconds(asked.path.latency)},
          {"bandwidth_bytes_per_s", asked.path.bandwidth.value()},
          {"hops", std::move(steps)}};
}

}  // namespace

std::string topology_json(const TopologyReport& report) {
  const ClusterFacts& facts = report.facts;
  Json json;
  json["schema"] = "simtrain.topology/1";
  json["cluster"] = facts.name;
  json["wiring"] = report.wiring;
  json["counts"] = {{"hosts", facts.hosts},
                    {"gpus", facts.gpus},
                    {"nvlink_domains", facts.nvlink_domains},
                    {"nvswitch_planes", facts.nvswitches},
                    {"nics", facts.nics},
                    {"leaf_switches", facts.leaves},
                    {"spine_switches", facts.spines},
                    {"core_switches", facts.cores}};
  json["links"] = cables_json(facts);
  json["levels"] = levels_json(facts);
  json["bisection"] = bisection_json(facts.bisection);
  if (report.path) json["path"] = path_json(*report.path);
  return json_text(json);
}

}  // namespace simtrain
