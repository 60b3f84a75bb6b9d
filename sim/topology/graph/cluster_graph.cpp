#include "sim/topology/graph/cluster_graph.h"

#include <algorithm>
#include <utility>

namespace simtrain {

std::size_t ClusterGraph::add_device(Device device) {
  devices.push_back(std::move(device));
  return devices.size() - 1;
}

void ClusterGraph::connect(std::size_t a, std::size_t b, Bandwidth bandwidth, Duration latency) {
  wires.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), bandwidth,
                   std::max(latency, Duration(1))});
}

LinksByVertex::LinksByVertex(const ClusterGraph& graph)
    : first_(graph.devices.size() + 1, 0), links_(graph.links()) {
  for (const ClusterGraph::Wire& wire : graph.wires) {
    ++first_[wire.a + std::size_t{1}];
    ++first_[wire.b + std::size_t{1}];
  }
  for (std::size_t vertex = 1; vertex < first_.size(); ++vertex)
    first_[vertex] += first_[vertex - 1];
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t i = 0; i < graph.wires.size(); ++i) {
    links_[next[graph.wires[i].a]++] = static_cast<int>(2 * i);
    links_[next[graph.wires[i].b]++] = static_cast<int>(2 * i + 1);
  }
}

}  // namespace simtrain
