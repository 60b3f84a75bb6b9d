#include "sim/topology/gpu_links.h"

#include "sim/topology/cluster.h"
#include "sim/topology/graph/cluster_graph.h"

namespace simtrain {

LinkOwners::LinkOwners(const Cluster& cluster, const LinksByVertex& links)
    : shared_(static_cast<std::size_t>(cluster.links()), true) {
  begins_.reserve(static_cast<std::size_t>(cluster.gpus()) + 1);
  for (int gpu = 0; gpu < cluster.gpus(); ++gpu) {
    begins_.push_back({static_cast<std::uint32_t>(nvlink_.size()),
                       static_cast<std::uint32_t>(peers_.size()),
                       static_cast<std::uint32_t>(nic_.size())});
    add(cluster, links, gpu);
  }
  begins_.push_back({static_cast<std::uint32_t>(nvlink_.size()),
                     static_cast<std::uint32_t>(peers_.size()),
                     static_cast<std::uint32_t>(nic_.size())});
  for (const std::vector<int>* own : {&nvlink_, &nic_}) {
    for (const int link : *own) shared_[static_cast<std::size_t>(link)] = false;
  }
}

void LinkOwners::add(const Cluster& cluster, const LinksByVertex& links, int gpu) {
  const ClusterGraph& graph = cluster.graph();
  const std::span<const int> of_gpu = links.out(cluster.gpu_vertex(gpu));
  const std::span<const int> of_nic = links.out(cluster.nic_vertex(cluster.nic_of(gpu)));
  for (const int link : of_gpu) {
    const std::size_t peer = graph.to(link);
    if (graph[peer].kind != VertexKind::gpu) continue;
    nvlink_.push_back(link);
    peers_.push_back({static_cast<int>(peer), link});
  }
  for (const int inward : {0, 1}) {  // first all that leave
    for (const int link : of_gpu) {
      const VertexKind beyond = graph[graph.to(link)].kind;
      if (beyond == VertexKind::gpu || beyond >= VertexKind::host_switch) continue;
      (beyond == VertexKind::nvswitch ? nvlink_ : nic_).push_back(link ^ inward);
    }
  }
  for (const int inward : {0, 1}) {
    for (const int link : of_nic) {
      if (graph[graph.to(link)].kind != VertexKind::gpu) nic_.push_back(link ^ inward);
    }
  }
}

GpuLinks LinkOwners::of_gpu(int gpu) const {
  const Begin& begin = begins_[static_cast<std::size_t>(gpu)];
  const Begin& end = begins_[static_cast<std::size_t>(gpu) + 1];
  return {std::span(nvlink_).subspan(begin.nvlink, end.nvlink - begin.nvlink),
          std::span(peers_).subspan(begin.peer, end.peer - begin.peer),
          std::span(nic_).subspan(begin.nic, end.nic - begin.nic)};
}

}  // namespace simtrain
