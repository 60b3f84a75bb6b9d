#include "sim/job/checkpoint/network_use.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "sim/topology/cluster.h"
#include "sim/topology/graph/cluster_graph.h"

namespace simtrain {
namespace {

constexpr double kMostOfLink = 0.9;

/// A GPU of the host for each NIC that its GPUs use.
std::vector<int> gpus_by_nic(const Cluster& cluster, const Host& host) {
  std::map<int, int> gpu_of_nic;
  for (int gpu = host.first_gpu; gpu < host.first_gpu + host.gpus; ++gpu)
    gpu_of_nic.emplace(cluster.nic_of(gpu), gpu);
  std::vector<int> gpus;
  gpus.reserve(gpu_of_nic.size());
  for (const auto& nic : gpu_of_nic) gpus.push_back(nic.second);
  return gpus;
}

/// What each link of the cluster carries, bytes per second.
std::vector<double> carried(const Cluster& cluster, const std::vector<int>& placed,
                            const SavingTraffic& traffic) {
  const std::size_t away = traffic.scope == StorageScope::node ? 1 : placed.size() / 2;
  const auto writing = static_cast<std::size_t>(traffic.nodes);
  std::vector<double> load(static_cast<std::size_t>(cluster.links()));
  for (std::size_t i = 0; i < writing; ++i) {
    const std::size_t at = i * placed.size() / writing;
    const std::size_t other = (at + away) % placed.size();
    const Host& from = cluster.hosts()[static_cast<std::size_t>(placed[at])];
    const Host& to = cluster.hosts()[static_cast<std::size_t>(placed[other])];
    const std::vector<int> senders = gpus_by_nic(cluster, from);
    const double rate = traffic.node_rate / static_cast<double>(senders.size());
    for (const int gpu : senders) {
      const int peer = to.first_gpu + (gpu - from.first_gpu) % to.gpus;
      for (const LinkShare& use : cluster.route(gpu, peer).links)
        load[static_cast<std::size_t>(use.link)] += use.share * rate;
    }
  }
  return load;
}

/// What is taken of wires that are one to training.
struct Taken {
  double load = 0;  ///< in the busier direction
  double capacity = 0;
  [[nodiscard]] double share() const { return load / capacity; }
};

/// Of NICs by their number in the host, the busiest of each; of cables by the switches at both
/// ends.
struct TakenWires {
  std::map<int, Taken> nics;
  std::map<std::pair<std::size_t, std::size_t>, Taken> trunks;
};

bool is_switch(VertexKind kind) {
  return kind == VertexKind::leaf || kind == VertexKind::spine || kind == VertexKind::core;
}

TakenWires taken_wires(const Cluster& cluster, const std::vector<double>& load) {
  TakenWires taken;
  const ClusterGraph& graph = cluster.graph();
  for (std::size_t i = 0; i < graph.wires.size(); ++i) {
    const ClusterGraph::Wire& wire = graph.wires[i];
    const std::size_t low = std::min(wire.a, wire.b);  // NICs are before switches
    const std::size_t high = std::max(wire.a, wire.b);
    if (!is_switch(graph[high].kind)) continue;
    const Taken own{std::max(load[2 * i], load[2 * i + 1]), cluster.capacities()[2 * i]};
    if (graph[low].kind == VertexKind::nic) {
      Taken& nic = taken.nics[graph[low].index];
      if (nic.capacity == 0 || own.share() > nic.share()) nic = own;
    } else if (is_switch(graph[low].kind)) {
      Taken& trunk = taken.trunks[{low, high}];
      trunk.load += own.load;
      trunk.capacity += own.capacity;
    }
  }
  if (cluster.inner_links_never_bind()) taken.trunks.clear();
  return taken;
}

template <class Wires>
double most_of(const Wires& wires) {
  double most = 0;
  for (const auto& [wire, taken] : wires) most = std::max(most, taken.share());
  return most;
}

}  // namespace

NetworkUse network_use(const Scenario& scenario, const SavingTraffic& traffic) {
  NetworkUse use;
  const std::vector<int> placed = placed_hosts(scenario.cluster, scenario.placement);
  if (traffic.node_rate <= 0 || placed.size() < 2) return use;
  const Cluster cluster(scenario.cluster);
  const TakenWires taken = taken_wires(cluster, carried(cluster, placed, traffic));
  const double nics = most_of(taken.nics);
  const double trunks = most_of(taken.trunks);
  use.slowed = std::max({1.0, nics / kMostOfLink, trunks / kMostOfLink});
  use.most_of_nic = nics / use.slowed;
  use.most_of_link = trunks / use.slowed;
  const auto left = [&](const Taken& wire) { return 1 - wire.share() / use.slowed; };
  for (const auto& [nic, wire] : taken.nics)
    if (wire.load > 0) use.left.nics.push_back({std::nullopt, nic, left(wire), {}});
  for (const auto& [ends, wire] : taken.trunks) {
    const ClusterGraph& graph = cluster.graph();
    if (wire.load > 0)
      use.left.links.push_back({graph[ends.first].name, graph[ends.second].name, left(wire), {}});
  }
  return use;
}

}  // namespace simtrain
