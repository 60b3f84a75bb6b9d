#include "sim/topology/placement/free_hosts.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "sim/topology/placement/hosts.h"
#include "sim/topology/placement/segments.h"

namespace simtrain {
namespace {

bool is_taken(const std::vector<bool>& taken, int host) {
  return taken[static_cast<std::size_t>(host)];
}

void refuse_few(std::size_t free, int nodes) {
  if (free >= static_cast<std::size_t>(nodes)) return;
  throw std::invalid_argument(
      fmt::format("finds {} free hosts, too few for {} nodes", free, nodes));
}

}  // namespace

std::vector<int> free_hosts(const ClusterSpec& cluster, const PlacementRequest& request,
                            const std::vector<bool>& taken) {
  const PlacementSpec& spec = request.spec;
  if (spec.kind == PlacementKind::fragmented)
    throw std::invalid_argument(
        "is fragmented by jobs that are not known; compact, spread, random or hosts would do");
  PlacementRequest order = request;
  if (spec.kind != PlacementKind::hosts) {
    order.nodes = cluster.nodes;
    order.spec.segment.reset();
  }
  order.order = RankOrder::by_host;
  std::vector<int> hosts = placed_hosts(cluster, order);
  if (spec.kind == PlacementKind::hosts) {
    for (const int host : hosts) {
      if (is_taken(taken, host))
        throw std::invalid_argument(fmt::format("lists host {}, which another job has", host));
    }
  } else {
    std::erase_if(hosts, [&](int host) { return is_taken(taken, host); });
    refuse_few(hosts.size(), request.nodes);
    if (spec.segment) return in_segments(cluster, hosts, request.nodes, *spec.segment);
    hosts.resize(static_cast<std::size_t>(request.nodes));
  }
  if (request.order == RankOrder::sorted_hosts) std::sort(hosts.begin(), hosts.end());
  return hosts;
}

std::vector<int> hosts_in_fewest_units(const ClusterSpec& cluster, int nodes,
                                       const std::vector<bool>& taken) {
  std::map<int, std::vector<int>> free_of_unit;
  const std::vector<Host> hosts = hosts_of(cluster);
  for (int host = 0; host < cluster.nodes; ++host) {
    if (!is_taken(taken, host))
      free_of_unit[hosts[static_cast<std::size_t>(host)].unit].push_back(host);
  }
  std::vector<std::vector<int>> units;
  units.reserve(free_of_unit.size());
  for (auto& [unit, free] : free_of_unit) units.push_back(std::move(free));
  std::stable_sort(units.begin(), units.end(),
                   [](const auto& one, const auto& other) { return one.size() > other.size(); });
  std::vector<int> chosen;
  for (auto unit = units.begin(); unit != units.end();) {
    const auto left = static_cast<std::size_t>(nodes) - chosen.size();
    if (left == 0) break;
    if (unit->size() >= left) {  // the fullest of those that hold the rest
      while (unit + 1 != units.end() && (unit + 1)->size() >= left) ++unit;
      unit->resize(left);
    }
    chosen.insert(chosen.end(), unit->begin(), unit->end());
    ++unit;
  }
  refuse_few(chosen.size(), nodes);
  return chosen;
}

}  // namespace simtrain
