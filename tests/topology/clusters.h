#pragma once

#include <string>

#include "sim/topology/cluster.h"
#include "tests/core/data_folder.h"

namespace simtrain::testing {

/// A cluster from the files in hardware/.
inline Cluster cluster(const std::string& name, int nodes) {
  return Cluster(load_cluster(data_folder(), name, nodes, {}));
}

/// Two HGX-like nodes of two GPUs, two NVLink switches and one unit a node, with round numbers: 8
/// GB/s over NVLink, 2 GB/s NICs of which half can be used, switches of 100 ns, no cables.
inline ClusterSpec small_spec() {
  ClusterSpec spec;
  spec.name = "small";
  spec.nodes = 2;
  spec.node.gpus = 2;
  spec.node.nics.value = 2;
  spec.node.nic_bandwidth.value = Bandwidth(2e9);
  spec.node.nvlink_domain_nodes.value = 1;
  spec.node.nvswitches.value = 2;
  spec.gpu.nvlink.bandwidth.value = Bandwidth(8e9);
  spec.gpu.nvlink.switch_latency.value = std::chrono::microseconds(1);
  spec.fabric.wiring = Wiring::rail_optimized;
  spec.fabric.nodes_per_unit.value = 1;
  spec.fabric.oversubscription.value = 1;
  spec.fabric.link_efficiency.value = 0.5;
  spec.fabric.switch_latency.value = std::chrono::nanoseconds(100);
  return spec;
}

}  // namespace simtrain::testing
