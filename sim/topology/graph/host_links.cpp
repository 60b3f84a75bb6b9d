#include "sim/topology/graph/host_links.h"

#include <cstddef>

#include "sim/core/input/input_error.h"
#include "sim/topology/graph/cluster_graph.h"

namespace simtrain {
namespace {

/// Wires one host, and says how its GPUs come to its memory.
class HostWiring {
 public:
  HostWiring(const HostSpec& spec, const Host& host, int group, ClusterGraph& graph)
      : spec_(spec), host_(host), group_(group), graph_(graph) {}

  void add(std::vector<HostWay>& ways) {
    const int processors = spec_.processors.value;
    const int gpus = host_.gpus / processors;
    for (int processor = 0; processor < processors; ++processor) {
      const std::size_t vertex = graph_.add_device({VertexKind::processor, group_, processor});
      const std::size_t memory = graph_.add_device({VertexKind::host_memory, group_, processor});
      const int memory_link = connect(vertex, memory, spec_.memory_bandwidth.value / processors);
      for (int gpu = 0; gpu < gpus; ++gpu)
        ways.push_back(way(processor * gpus + gpu, vertex, memory_link));
    }
  }

 private:
  HostWay way(int gpu, std::size_t processor, int memory) {
    HostWay way{{}, {}, memory};
    const bool shared = spec_.gpus_per_uplink.value > 1;
    if (shared && gpu % spec_.gpus_per_uplink.value == 0) {
      const int number = gpu / spec_.gpus_per_uplink.value;
      joint_ = graph_.add_device({VertexKind::host_switch, group_, number});
      uplink_ = connect(joint_, processor, spec_.gpu_bandwidth.value);
    }
    const auto vertex = static_cast<std::size_t>(host_.first_gpu) + static_cast<std::size_t>(gpu);
    way.to_host.push_back(connect(vertex, shared ? joint_ : processor, spec_.gpu_bandwidth.value));
    if (shared) way.to_host.push_back(uplink_);
    for (const int link : way.to_host) way.from_host.push_back(link ^ 1);
    return way;
  }

  /// The link from `a` to `b`; that back is the next one.
  int connect(std::size_t a, std::size_t b, Bandwidth bandwidth) {
    graph_.connect(a, b, bandwidth, Duration(0));
    return static_cast<int>(graph_.links()) - 2;
  }

  const HostSpec& spec_;
  const Host& host_;
  int group_;
  ClusterGraph& graph_;
  std::size_t joint_ = 0;
  int uplink_ = 0;
};

}  // namespace

std::vector<HostWay> build_host_links(const ClusterSpec& spec, const std::vector<Host>& hosts,
                                      ClusterGraph& graph) {
  std::vector<HostWay> ways;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const NodeSpec& node = spec.node_of(static_cast<int>(i));
    if (!node.host)
      throw InputError(node.where, "host", "is missing, so that nothing can be offloaded to it");
    HostWiring(*node.host, hosts[i], static_cast<int>(i), graph).add(ways);
  }
  return ways;
}

}  // namespace simtrain
