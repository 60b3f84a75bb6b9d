#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "sim/topology/graph/forwarding.h"
#include "sim/topology/placement/hosts.h"

namespace simtrain {

/// One way to wire hosts together: adds the switches of the fabric and the links from the NICs
/// upward, and says how these switches forward as long as no link between them is weakened.
/// `first_nic` is the vertex of NIC 0; `graph` outlives what is returned.
struct WiringRow {
  std::string_view name;
  Wiring wiring;
  std::unique_ptr<Forwarding> (*build)(const ClusterSpec&, const std::vector<Host>&,
                                       std::size_t first_nic, ClusterGraph& graph);
  std::string_view help;
};

/// All wirings, for building and for `simtrain list wirings`.
const std::vector<WiringRow>& wirings();

/// The wiring of a cluster's own graph. A switch is a leaf where a NIC hangs on it, a spine next to
/// a leaf, and a core elsewhere.
void build_graph(const ClusterSpec& spec, const std::vector<Host>& hosts, std::size_t first_nic,
                 ClusterGraph& graph);

}  // namespace simtrain
