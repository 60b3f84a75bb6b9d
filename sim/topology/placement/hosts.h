#pragma once

#include <string>
#include <vector>

#include "sim/topology/specs/cluster_spec.h"

namespace simtrain {

/// One server of the cluster. GPUs and NICs are numbered through the cluster, in host order.
struct Host {
  std::string name;
  int first_gpu = 0;
  int gpus = 0;
  int first_nic = 0;
  int nics = 0;
  int domain = 0;  ///< NVLink domain
  int unit = 0;    ///< hosts below the same leaf switches
  int block = 0;   ///< units below the same spine switches; 0 where there is no third level
};

/// The hosts of a cluster: of equal nodes, named node0, node1 and so on, or of its graph.
std::vector<Host> hosts_of(const ClusterSpec& spec);

}  // namespace simtrain
