#include "sim/topology/hosts.h"

namespace simtrain {

std::vector<Host> equal_hosts(const ClusterSpec& spec) {
  const FabricSpec& fabric = spec.fabric;
  std::vector<Host> hosts;
  hosts.reserve(static_cast<std::size_t>(spec.nodes));
  for (int node = 0; node < spec.nodes; ++node) {
    Host host;
    host.name = "node" + std::to_string(node);
    host.gpus = spec.node.gpus;
    host.first_gpu = node * host.gpus;
    host.nics = spec.node.nics.value;
    host.first_nic = node * host.nics;
    host.domain = node / spec.node.nvlink_domain_nodes.value;
    host.unit = node / fabric.nodes_per_unit.value;
    host.block = fabric.nodes_per_block ? node / fabric.nodes_per_block->value : 0;
    hosts.push_back(std::move(host));
  }
  return hosts;
}

}  // namespace simtrain
