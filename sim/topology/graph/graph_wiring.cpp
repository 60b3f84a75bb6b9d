#include <algorithm>
#include <map>

#include "sim/topology/graph/cluster_graph.h"
#include "sim/topology/graph/wiring.h"
#include "sim/topology/placement/host_ranges.h"

namespace simtrain {
namespace {

/// What the switch is, by the nearest NIC: leaf, spine or core.
std::map<std::string, VertexKind> switch_kinds(const GraphSpec& spec) {
  std::map<std::string, VertexKind> kinds;
  for (const GraphSwitch& one : spec.switches) kinds[one.name] = VertexKind::core;
  const auto mark = [&](VertexKind below, VertexKind kind) {
    for (const GraphLink& link : spec.links) {
      for (const auto& [a, b] : {std::pair{link.from, link.to}, std::pair{link.to, link.from}}) {
        const auto lower = kinds.find(a);
        const auto upper = kinds.find(b);
        if (upper == kinds.end() || upper->second < kind) continue;
        if (lower == kinds.end() || lower->second == below) upper->second = kind;
      }
    }
  };
  mark(VertexKind::nic, VertexKind::leaf);
  mark(VertexKind::leaf, VertexKind::spine);
  return kinds;
}

/// The cables of one link of a host to a switch.
void connect_host(const ClusterSpec& spec, const GraphLink& link, int node, std::size_t first_nic,
                  std::size_t leaf, ClusterGraph& graph) {
  const NodeSpec& kind = spec.node_of(node);
  const Bandwidth rate(std::min(link.bandwidth.value(), kind.nic_bandwidth.value.value()));
  for (int nic = 0; nic < kind.nics.value; ++nic) {
    if (link.nics && std::find(link.nics->begin(), link.nics->end(), nic) == link.nics->end())
      continue;
    graph.connect(first_nic + static_cast<std::size_t>(nic), leaf,
                  rate * spec.fabric.link_efficiency.value, link.latency);
  }
}

}  // namespace

void build_graph(const ClusterSpec& spec, const std::vector<Host>& hosts, std::size_t first_nic,
                 ClusterGraph& graph) {
  std::map<std::string, std::size_t> switches;
  const std::map<std::string, VertexKind> kinds = switch_kinds(*spec.graph);
  const std::map<std::string, HostRange> ranges = host_ranges(*spec.graph);
  for (const GraphSwitch& one : spec.graph->switches) {
    const int number = static_cast<int>(switches.size());
    switches[one.name] = graph.add_device({kinds.at(one.name), 0, number, one.name});
  }
  for (const GraphLink& link : spec.graph->links) {
    const auto from = switches.find(link.from);
    const auto to = switches.find(link.to);
    if (from != switches.end() && to != switches.end()) {
      graph.connect(from->second, to->second, link.bandwidth, link.latency);
      continue;
    }
    const std::string& end = from == switches.end() ? link.from : link.to;
    const std::size_t leaf = from == switches.end() ? to->second : from->second;
    const HostRange& range = ranges.at(end);
    const int last = std::min(range.first + range.count, static_cast<int>(hosts.size()));
    for (int node = range.first; node < last; ++node) {
      const Host& host = hosts[static_cast<std::size_t>(node)];
      connect_host(spec, link, node, first_nic + static_cast<std::size_t>(host.first_nic), leaf,
                   graph);
    }
  }
}

}  // namespace simtrain
