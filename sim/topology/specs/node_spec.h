#pragma once

#include <string>

#include "sim/core/input/yaml_reader.h"

namespace simtrain {

/// One server (for GB200: one tray): `hardware/nodes/NAME.yaml`.
struct NodeSpec {
  std::string name;
  std::string description;
  std::string gpu;
  int gpus = 0;
  Sourced<int> nics;  ///< NIC i is on rail i; GPU i of g uses NIC i * nics / g
  Sourced<Bandwidth> nic_bandwidth;
  Sourced<int> nvlink_domain_nodes;  ///< nodes that one NVLink domain joins
  Sourced<int> nvswitches;           ///< switch chips of one NVLink domain
  Sourced<Duration> host_launch_latency;
  SourcePlace where;
  template <class Visitor>
  void fields(Visitor& v) {
    v("name", name);
    v("description", description);
    v("gpu", gpu);
    v("gpus", gpus, Limits{1, 1024});
    v("nics", nics, Limits{1, 1024});
    v("nic_bandwidth", nic_bandwidth);
    v("nvlink_domain_nodes", nvlink_domain_nodes, Limits{1, 1024});
    v("nvswitches", nvswitches, Limits{1, 1024});
    v("host_launch_latency", host_launch_latency);
  }
};

/// Throws InputError where a node has more NICs than GPUs.
void check_nics(const NodeSpec& node);

}  // namespace simtrain
