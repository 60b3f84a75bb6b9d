#pragma once

#include <string>

#include "sim/core/fields.h"
#include "sim/core/quantity.h"
#include "sim/core/source_place.h"
#include "sim/core/sourced.h"

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
};
template <>
struct Fields<NodeSpec>;

/// Throws InputError where a node has more NICs than GPUs.
void check_nics(const NodeSpec& node);

}  // namespace simtrain
