#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/topology/cluster.h"
#include "sim/topology/specs/device.h"

namespace simtrain {

/// A cable or board trace: both directions of it, each of `bandwidth`. `low` is the end nearer to
/// the GPUs.
struct Cable {
  std::size_t low = 0;
  std::size_t high = 0;
  Bandwidth bandwidth;  ///< that flows can use
  Bandwidth line_rate;  ///< more than that at a NIC
  Duration latency{};
};

/// The cluster graph as plain lists, for readers who do not walk it.
struct ClusterMap {
  std::string name;
  std::vector<Device> devices;     ///< by vertex, GPUs first
  std::vector<std::string> names;  ///< of the devices, see device_name()
  std::vector<Cable> cables;       ///< in the order in which the cluster was wired
  std::vector<Host> hosts;

  [[nodiscard]] VertexKind kind(std::size_t vertex) const { return devices[vertex].kind; }
};

ClusterMap cluster_map(const Cluster& cluster);

/// What a kind of device is called: "GPU", "NVSwitch", "NIC", "leaf", "spine", "core".
std::string_view kind_name(VertexKind kind);

/// A device's own name: "node3 GPU 5", "NVSwitch 0.1" (domain, plane), and what the wiring or the
/// cluster's file calls a switch. Numbers count from 0.
std::string device_name(const Cluster& cluster, std::size_t vertex);

}  // namespace simtrain
