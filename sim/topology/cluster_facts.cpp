#include "sim/topology/cluster_facts.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "sim/topology/graph/cluster_graph.h"

namespace simtrain {
namespace {

int count(const ClusterMap& map, VertexKind kind) {
  return static_cast<int>(
      std::count_if(map.devices.begin(), map.devices.end(),
                    [kind](const Device& device) { return device.kind == kind; }));
}

std::vector<CableCount> count_cables(const ClusterMap& map) {
  std::map<std::tuple<VertexKind, VertexKind, double, Duration>, int> counts;
  for (const Cable& cable : map.cables) {
    ++counts[{map.kind(cable.low), map.kind(cable.high), cable.bandwidth.value(), cable.latency}];
  }
  std::vector<CableCount> rows;
  rows.reserve(counts.size());
  for (const auto& [sort, number] : counts) {
    const auto& [low, high, bandwidth, latency] = sort;
    rows.push_back({low, high, number, Bandwidth(bandwidth), latency});
  }
  return rows;
}

bool is_switch(VertexKind kind) { return kind >= VertexKind::leaf && kind <= VertexKind::core; }

/// Of the worst switch of kind `low`: what comes from below over what goes up.
double oversubscription(const ClusterMap& map, VertexKind low) {
  std::vector<double> below(map.devices.size());
  std::vector<double> above(map.devices.size());
  for (const Cable& cable : map.cables) {
    if (map.kind(cable.low) == map.kind(cable.high)) continue;
    below[cable.high] += cable.line_rate.value();
    above[cable.low] += cable.line_rate.value();
  }
  double worst = 0;
  for (std::size_t vertex = 0; vertex < map.devices.size(); ++vertex) {
    if (map.kind(vertex) == low && above[vertex] > 0)
      worst = std::max(worst, below[vertex] / above[vertex]);
  }
  return worst;
}

std::vector<LevelBandwidth> levels_of(const ClusterMap& map, int gpus) {
  std::map<std::pair<VertexKind, VertexKind>, double> totals;
  for (const Cable& cable : map.cables) {
    totals[{map.kind(cable.low), map.kind(cable.high)}] += cable.bandwidth.value();
  }
  std::vector<LevelBandwidth> levels;
  levels.reserve(totals.size());
  for (const auto& [ends, total] : totals) {
    const auto& [low, high] = ends;
    const bool mesh = low == VertexKind::gpu && high == low;
    if (low == VertexKind::nic || (low == high && !mesh)) continue;  // NICs: on their GPUs' side
    const double up = mesh ? 2 * total : total;  // a link of a mesh is one of either end
    levels.push_back({low, high, Bandwidth(up), Bandwidth(up / gpus),
                      is_switch(low) ? oversubscription(map, low) : 0});
  }
  return levels;
}

/// How many hops each link's start is from the start of the way: the longest count, so that a step
/// never holds a link and the one that feeds it.
std::map<std::size_t, std::size_t> hops(const Route& route, const ClusterGraph& graph) {
  std::map<std::size_t, std::size_t> result;
  for (bool changed = true; changed;) {
    changed = false;
    for (const LinkShare& use : route.links) {
      const std::size_t next = result[graph.from(use.link)] + 1;
      if (result[graph.to(use.link)] >= next) continue;
      result[graph.to(use.link)] = next;
      changed = true;
    }
  }
  return result;
}

}  // namespace

ClusterFacts cluster_facts(const ClusterMap& map) {
  ClusterFacts facts;
  facts.name = map.name;
  facts.hosts = static_cast<int>(map.hosts.size());
  facts.gpus = count(map, VertexKind::gpu);
  facts.nvlink_domains = map.hosts.empty() ? 0 : map.hosts.back().domain + 1;
  facts.nvswitches = count(map, VertexKind::nvswitch);
  facts.nics = count(map, VertexKind::nic);
  facts.leaves = count(map, VertexKind::leaf);
  facts.spines = count(map, VertexKind::spine);
  facts.cores = count(map, VertexKind::core);
  facts.cables = count_cables(map);
  facts.levels = levels_of(map, facts.gpus);
  facts.bisection = bisection(map);
  return facts;
}

std::string_view distance_name(Distance distance) {
  switch (distance) {
    case Distance::same_gpu:
      return "same GPU";
    case Distance::nvlink_domain:
      return "NVLink domain";
    case Distance::unit:
      return "unit";
    case Distance::block:
      return "block";
    case Distance::fabric:
      break;
  }
  return "fabric";
}

ClusterPath cluster_path(const Cluster& cluster, int from_gpu, int to_gpu) {
  const Route route = cluster.route(from_gpu, to_gpu);
  const ClusterGraph& graph = cluster.graph();
  std::map<std::size_t, std::size_t> hop = hops(route, graph);
  ClusterPath path;
  path.distance = cluster.distance(from_gpu, to_gpu);
  path.latency = route.latency;
  path.steps.resize(hop.empty() ? 0 : hop[cluster.gpu_vertex(to_gpu)]);
  std::vector<LinkShare> uses = route.links;
  std::sort(uses.begin(), uses.end(),
            [](const LinkShare& a, const LinkShare& b) { return a.link < b.link; });
  double narrowest = 0;
  for (const LinkShare& use : uses) {
    const ClusterGraph::Wire& wire = graph.wire_of(use.link);
    const std::size_t from = graph.from(use.link);
    path.steps[hop[from]].push_back({device_name(cluster, from),
                                     device_name(cluster, graph.to(use.link)), wire.bandwidth,
                                     wire.latency, use.share});
    const double alone = wire.bandwidth.value() / use.share;
    narrowest = narrowest == 0 ? alone : std::min(narrowest, alone);
  }
  path.bandwidth = Bandwidth(narrowest);
  return path;
}

}  // namespace simtrain
