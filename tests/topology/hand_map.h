#pragma once

#include <string>

#include "sim/topology/cluster_map.h"

namespace simtrain::testing {

/// A map built by hand: uneven hosts and three levels of switches, with round numbers.
class HandMap {
 public:
  /// Hosts with these numbers of GPUs, a unit each, one NIC of 1 GB/s a GPU.
  explicit HandMap(const std::vector<int>& gpus) {
    map.name = "by hand";
    int first = 0;
    for (std::size_t host = 0; host < gpus.size(); ++host) {
      const auto number = static_cast<int>(host);
      map.hosts.push_back({.name = "host-" + std::to_string(host),
                           .first_gpu = first,
                           .gpus = gpus[host],
                           .first_nic = first,
                           .nics = gpus[host],
                           .domain = number,
                           .unit = number});
      for (int gpu = 0; gpu < gpus[host]; ++gpu) add(VertexKind::gpu, number, gpu);
      first += gpus[host];
    }
    for (const Host& host : map.hosts) {
      for (int gpu = 0; gpu < host.gpus; ++gpu) {
        const std::size_t nic = add(VertexKind::nic, host.unit, gpu);
        join(static_cast<std::size_t>(host.first_gpu + gpu), nic, 1);
        nics.push_back(nic);
      }
    }
  }

  std::size_t add(VertexKind kind, int group, int index) {
    map.devices.push_back({kind, group, index});
    map.names.push_back(std::string(kind_name(kind)) + " " + std::to_string(map.devices.size()));
    return map.devices.size() - 1;
  }
  void join(std::size_t low, std::size_t high, double gigabytes_per_s) {
    const Bandwidth bandwidth(gigabytes_per_s * 1e9);
    map.cables.push_back({low, high, bandwidth, bandwidth, std::chrono::microseconds(1)});
  }

  ClusterMap map;
  std::vector<std::size_t> nics;
};

/// Hosts of 4, 2, 1 and 1 GPUs; a leaf and a spine for each two hosts, 3 GB/s and 2 GB/s up; one
/// core switch.
inline ClusterMap uneven_map() {
  HandMap hand({4, 2, 1, 1});
  const std::size_t core = hand.add(VertexKind::core, 0, 0);
  for (int block = 0; block < 2; ++block) {
    const std::size_t leaf = hand.add(VertexKind::leaf, 2 * block, 0);
    const std::size_t spine = hand.add(VertexKind::spine, block, 0);
    hand.join(leaf, spine, 3);
    hand.join(spine, core, 2);
    for (const std::size_t nic : hand.nics) {
      if (hand.map.devices[nic].group / 2 == block) hand.join(nic, leaf, 1);
    }
  }
  return hand.map;
}

}  // namespace simtrain::testing
