#pragma once

#include <string>
#include <vector>

#include "sim/topology/placement/hosts.h"

namespace simtrain {

struct ClusterGraph;

/// What is left of each NIC, by its number in the cluster: 1 where nothing is broken.
/// Throws InputError where a host or NIC does not exist.
std::vector<double> nic_factors(const ClusterFaults& faults, const std::vector<Host>& hosts);

/// How many times as long the kernels of each GPU take, by its number in the cluster.
/// Throws InputError where a host or GPU does not exist or is given twice.
std::vector<double> gpu_slowdowns(const ClusterFaults& faults, const std::vector<Host>& hosts);

/// The NIC that each GPU uses: local GPU i of g its host's i * nics / g or, where that is down, the
/// next that is not. Throws InputError where a host among several has none left.
std::vector<int> nics_in_use(const ClusterFaults& faults, const std::vector<double>& factors,
                             const std::vector<Host>& hosts);

/// Takes the faults' bandwidth from the links of the graph; `first_nic` is the vertex of NIC 0.
/// Throws InputError where no link joins the switches that a fault names.
void weaken(const ClusterFaults& faults, const std::vector<double>& factors, std::size_t first_nic,
            ClusterGraph& graph);

}  // namespace simtrain
