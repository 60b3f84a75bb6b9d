#include "sim/topology/placement/hosts.h"

#include <algorithm>
#include <map>
#include <set>

#include "sim/topology/placement/host_ranges.h"

namespace simtrain {
namespace {

/// Units of a tabled wiring by number, domains by count.
void place_equal(const ClusterSpec& spec, int node, Host& host) {
  const FabricSpec& fabric = spec.fabric;
  host.name = "node" + std::to_string(node);
  host.domain = node / spec.node.nvlink_domain_nodes.value;
  host.unit = node / fabric.nodes_per_unit.value;
  host.block = fabric.nodes_per_block ? node / fabric.nodes_per_block->value : 0;
}

/// Hosts of a graph are of one unit where they are linked to the same switches. NVLink joins hosts
/// of one entry only.
class GraphPlaces {
 public:
  explicit GraphPlaces(const GraphSpec& graph)
      : graph_(graph), switches_(static_cast<std::size_t>(graph.count())) {
    const std::map<std::string, HostRange> ranges = host_ranges(graph);
    const auto note = [&](const std::string& end, const std::string& other) {
      const auto range = ranges.find(end);
      if (range == ranges.end()) return;
      const auto first = switches_.begin() + range->second.first;
      std::for_each(first, first + range->second.count,
                    [&](std::set<std::string>& switches) { switches.insert(other); });
    };
    for (const GraphLink& link : graph.links) {
      note(link.from, link.to);
      note(link.to, link.from);
    }
  }

  void place(int node, Host& host) {
    const GraphHosts& group = graph_.entry_of(node);
    const int number = node - graph_.first_of(group);
    host.name = group.host_name(number);
    if (number % group.spec.nvlink_domain_nodes.value == 0) ++domain_;
    host.domain = domain_;
    const std::set<std::string>& switches = switches_[static_cast<std::size_t>(node)];
    host.unit = units_.try_emplace(switches, static_cast<int>(units_.size())).first->second;
  }

 private:
  const GraphSpec& graph_;
  std::vector<std::set<std::string>> switches_;  ///< by host
  int domain_ = -1;
  std::map<std::set<std::string>, int> units_;
};

}  // namespace

std::vector<Host> hosts_of(const ClusterSpec& spec) {
  std::optional<GraphPlaces> places;
  if (spec.graph) places.emplace(*spec.graph);
  std::vector<Host> hosts;
  hosts.reserve(static_cast<std::size_t>(spec.nodes));
  int gpus = 0;
  int nics = 0;
  for (int node = 0; node < spec.nodes; ++node) {
    Host host;
    host.first_gpu = gpus;
    host.gpus = spec.node_of(node).gpus;
    host.first_nic = nics;
    host.nics = spec.node_of(node).nics.value;
    gpus += host.gpus;
    nics += host.nics;
    if (places) {
      places->place(node, host);
    } else {
      place_equal(spec, node, host);
    }
    hosts.push_back(std::move(host));
  }
  return hosts;
}

}  // namespace simtrain
