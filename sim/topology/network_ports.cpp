#include "sim/topology/network_ports.h"

#include <algorithm>

#include "sim/topology/graph/cluster_graph.h"

namespace simtrain {

NetworkPorts network_ports(const Cluster& cluster) {
  const ClusterGraph& graph = cluster.graph();
  const double line_rate = cluster.spec().node.nic_bandwidth.value.value();
  const auto in_network = [&](std::size_t vertex) {
    const VertexKind kind = graph[vertex].kind;
    return kind >= VertexKind::nic && kind <= VertexKind::core;
  };
  NetworkPorts ports;
  double to_spines = 0;  // cables between leaves and spines
  double beyond = 0;
  for (const ClusterGraph::Wire& wire : graph.wires) {
    if (!in_network(wire.a) || !in_network(wire.b)) continue;
    const auto [low, high] = std::minmax(graph[wire.a].kind, graph[wire.b].kind);
    if (low == VertexKind::nic) {
      ++ports.at_nics;
    } else {
      (high == VertexKind::core ? beyond : to_spines) += wire.bandwidth.value() / line_rate;
    }
  }
  ports.at_switches =
      ports.at_nics + 2 * std::min(to_spines, ports.at_nics) + 2 * std::min(beyond, ports.at_nics);
  return ports;
}

}  // namespace simtrain
