#include "sim/topology/cluster_map.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sim/topology/graph/cluster_graph.h"

namespace simtrain {
ClusterMap cluster_map(const Cluster& cluster) {
  const ClusterGraph& graph = cluster.graph();
  ClusterMap map;
  map.name = cluster.spec().name;
  map.devices = graph.devices;
  map.names.reserve(graph.devices.size());
  for (std::size_t vertex = 0; vertex < graph.devices.size(); ++vertex)
    map.names.push_back(device_name(cluster, vertex));
  map.cables.reserve(graph.wires.size());
  for (const ClusterGraph::Wire& wire : graph.wires) {
    std::size_t low = std::min(wire.a, wire.b);
    std::size_t high = std::max(wire.a, wire.b);
    if (map.kind(low) > map.kind(high)) std::swap(low, high);
    const bool nic = map.kind(low) == VertexKind::nic || map.kind(high) == VertexKind::nic;
    const double usable = nic ? cluster.spec().fabric.link_efficiency.value : 1;
    map.cables.push_back({low, high, wire.bandwidth, wire.bandwidth / usable, wire.latency});
  }
  map.hosts = cluster.hosts();
  return map;
}

std::string_view kind_name(VertexKind kind) {
  constexpr std::array<std::string_view, 9> kNames{
      "GPU", "NVSwitch", "NIC", "leaf", "spine", "core", "host switch", "processor", "host memory"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string device_name(const Cluster& cluster, std::size_t vertex) {
  const Device& device = cluster.graph()[vertex];
  if (!device.name.empty()) return device.name;
  const std::string_view kind = kind_name(device.kind);
  if (device.kind == VertexKind::nvswitch)
    return fmt::format("{} {}.{}", kind, device.group, device.index);
  const Host& host = cluster.hosts()[static_cast<std::size_t>(device.group)];
  return fmt::format("{} {} {}", host.name, kind, device.index);
}

}  // namespace simtrain
