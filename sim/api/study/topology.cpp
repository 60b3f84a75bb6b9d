#include <algorithm>

#include <fmt/format.h>
#include <simtrain/study.h>

#include "sim/api/access.h"
#include "sim/api/errors.h"
#include "sim/output/drawing/topology_report.h"
#include "sim/topology/specs/cluster_fields.h"

namespace simtrain::api {
namespace {

int nodes_of(const ClusterFile& file, int asked) {
  const int most = file.nodes();
  if (asked < 0 || asked > most)
    throw simtrain::InputError(
        {}, "nodes",
        fmt::format("{} is not possible; {} has 1 to {} nodes", asked, file.name, most));
  return asked > 0 ? asked : std::min(most, kUsualTopologyNodes);
}

Topology counts_of(const TopologyReport& report) {
  const ClusterFacts& facts = report.facts;
  Topology result;
  result.cluster = facts.name;
  result.wiring = report.wiring;
  result.hosts = facts.hosts;
  result.gpus = facts.gpus;
  result.nvlink_domains = facts.nvlink_domains;
  result.nvswitch_planes = facts.nvswitches;
  result.nics = facts.nics;
  result.leaf_switches = facts.leaves;
  result.spine_switches = facts.spines;
  result.core_switches = facts.cores;
  for (const LevelBandwidth& level : facts.levels)
    result.levels.push_back({level_name(level), static_cast<double>(level.total.value()),
                             static_cast<double>(level.per_gpu.value()), level.oversubscription});
  result.bisection = static_cast<double>(facts.bisection.bandwidth.value());
  return result;
}

}  // namespace

Topology topology(const DataFolder& data, const std::string& cluster, int nodes) {
  return guarded([&] {
    const simtrain::DataFolder& folder = Access::of(data).folder;
    const auto file = folder.load<ClusterFile>("hardware/clusters", cluster, {}, "cluster");
    const ClusterSpec spec = load_cluster(folder, cluster, nodes_of(file, nodes), {});
    const Cluster graph(spec);
    const TopologyReport report = topology_report(spec, cluster_facts(cluster_map(graph)));
    Topology result = counts_of(report);
    result.text = topology_text(report);
    result.json = topology_json(report);
    return result;
  });
}

}  // namespace simtrain::api
