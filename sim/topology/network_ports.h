#pragma once

#include "sim/topology/cluster.h"

namespace simtrain {

/// Ends of the cables between nodes, in cables of the line rate of a node's NIC. Of the cables from
/// one level of switches to the next count at most as many as there are NICs: switches that the
/// cluster's nodes fill in part serve others as well.
struct NetworkPorts {
  double at_nics = 0;      ///< one a NIC
  double at_switches = 0;  ///< one for each NIC, two for each cable between switches
};

/// Those of the whole cluster, whoever uses it.
NetworkPorts network_ports(const Cluster& cluster);

}  // namespace simtrain
