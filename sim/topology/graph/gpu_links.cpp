#include "sim/topology/graph/gpu_links.h"

#include <utility>

#include "sim/topology/cluster.h"
#include "sim/topology/graph/cluster_graph.h"

namespace simtrain {

LinkOwners::LinkOwners(const Cluster& cluster)
    : gpus_(static_cast<std::size_t>(cluster.gpus())),
      shared_(static_cast<std::size_t>(cluster.links()), true) {
  const ClusterGraph& graph = cluster.graph();
  const auto links_of = [&](std::size_t vertex) {
    std::vector<std::pair<int, VertexKind>> links;  // both directions, and what is beyond
    for (const auto edge : boost::make_iterator_range(boost::out_edges(vertex, graph))) {
      links.emplace_back(graph[edge].id, graph[boost::target(edge, graph)].kind);
    }
    for (const auto edge : boost::make_iterator_range(boost::in_edges(vertex, graph))) {
      links.emplace_back(graph[edge].id, graph[boost::source(edge, graph)].kind);
    }
    return links;
  };
  const auto own = [&](std::vector<int>& links, int link) {
    links.push_back(link);
    shared_[static_cast<std::size_t>(link)] = false;
  };
  for (int gpu = 0; gpu < cluster.gpus(); ++gpu) {
    GpuLinks& links = gpus_[static_cast<std::size_t>(gpu)];
    for (const auto edge :
         boost::make_iterator_range(boost::out_edges(cluster.gpu_vertex(gpu), graph))) {
      const std::size_t peer = boost::target(edge, graph);
      if (graph[peer].kind != VertexKind::gpu) continue;
      own(links.nvlink, graph[edge].id);
      links.peers.push_back({static_cast<int>(peer), graph[edge].id});
    }
    for (const auto& [link, beyond] : links_of(cluster.gpu_vertex(gpu))) {
      if (beyond == VertexKind::gpu) continue;
      own(beyond == VertexKind::nvswitch ? links.nvlink : links.nic, link);
    }
    for (const auto& [link, beyond] : links_of(cluster.nic_vertex(cluster.nic_of(gpu)))) {
      if (beyond != VertexKind::gpu) own(links.nic, link);
    }
  }
}

}  // namespace simtrain
