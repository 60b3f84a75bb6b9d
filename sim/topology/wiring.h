#pragma once

#include <string_view>
#include <vector>

#include "sim/topology/cluster_graph.h"
#include "sim/topology/hosts.h"

namespace simtrain {

/// One way to wire hosts together: adds the switches of the fabric and the links from the NICs
/// upward. `first_nic` is the vertex of NIC 0.
struct WiringRow {
  std::string_view name;
  Wiring wiring;
  void (*build)(const ClusterSpec&, const std::vector<Host>&, std::size_t first_nic, ClusterGraph&);
  std::string_view help;
};

/// All wirings, for building and for `simtrain list wirings`.
const std::vector<WiringRow>& wirings();

}  // namespace simtrain
