#include "sim/topology/gpu_links.h"

#include <utility>

namespace simtrain {

LinkOwners::LinkOwners(const Cluster& cluster)
    : gpus_(static_cast<std::size_t>(cluster.spec().gpus())),
      shared_(static_cast<std::size_t>(cluster.links()), true) {
  const ClusterGraph& graph = cluster.graph();
  for (const auto edge : boost::make_iterator_range(boost::edges(graph))) {
    for (const auto& [end, other] :
         {std::pair{boost::source(edge, graph), boost::target(edge, graph)},
          std::pair{boost::target(edge, graph), boost::source(edge, graph)}}) {
      const Device& device = graph[end];
      const VertexKind beyond = graph[other].kind;
      const bool nvlink = device.kind == VertexKind::gpu && beyond == VertexKind::nvswitch;
      const bool nic = device.kind == VertexKind::nic;
      if (!nvlink && !nic) continue;
      const std::size_t gpu = gpu_vertex(device.group * cluster.spec().node.gpus + device.index);
      const int link = graph[edge].id;
      (nvlink ? gpus_[gpu].nvlink : gpus_[gpu].nic).push_back(link);
      shared_[static_cast<std::size_t>(link)] = false;
    }
  }
}

}  // namespace simtrain
