#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/topology/cluster_graph.h"
#include "sim/topology/hosts.h"

namespace simtrain {

/// A NIC that is slow or, with factor 0, down. Without a host, that NIC of every host: its rail.
struct NicFault {
  std::optional<std::string> host;
  int nic = 0;  ///< number in its host
  double factor = 0;
  SourcePlace where;
  template <class Visitor>
  void fields(Visitor& v) {
    v.optional("host", host);
    v("nic", nic, Limits{0, 1023});
    v("factor", factor, Limits{0, 1});
  }
};

/// All cables between two switches, both directions, slow or, with factor 0, down.
struct LinkFault {
  std::string from;
  std::string to;
  double factor = 0;
  SourcePlace where;
  template <class Visitor>
  void fields(Visitor& v) {
    v("from", from);
    v("to", to);
    v("factor", factor, Limits{0, 1});
  }
};

/// What is broken in a cluster. `factor` is the share of the bandwidth that is left.
struct ClusterFaults {
  std::vector<NicFault> nics;
  std::vector<LinkFault> links;
  SourcePlace where;
  template <class Visitor>
  void fields(Visitor& v) {
    v.optional("nics", nics);
    v.optional("links", links);
  }
};

/// What is left of each NIC, by its number in the cluster: 1 where nothing is broken.
/// Throws InputError where a host or NIC does not exist.
std::vector<double> nic_factors(const ClusterFaults& faults, const std::vector<Host>& hosts);

/// The NIC that each GPU uses: local GPU i of g its host's i * nics / g or, where that is down, the
/// next that is not. Throws InputError where a host among several has none left.
std::vector<int> nics_in_use(const ClusterFaults& faults, const std::vector<double>& factors,
                             const std::vector<Host>& hosts);

/// Takes the faults' bandwidth from the links of the graph; `first_nic` is the vertex of NIC 0.
/// Throws InputError where no link joins the switches that a fault names.
void weaken(const ClusterFaults& faults, const std::vector<double>& factors, std::size_t first_nic,
            ClusterGraph& graph);

}  // namespace simtrain
