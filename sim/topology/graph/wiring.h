#pragma once

#include <string_view>
#include <vector>

#include "sim/topology/placement/hosts.h"

namespace simtrain {

struct ClusterGraph;

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

/// The wiring of a cluster's own graph. A switch is a leaf where a NIC hangs on it, a spine next to
/// a leaf, and a core elsewhere.
void build_graph(const ClusterSpec& spec, const std::vector<Host>& hosts, std::size_t first_nic,
                 ClusterGraph& graph);

}  // namespace simtrain
