#pragma once

#include <vector>

#include "sim/topology/placement/hosts.h"
#include "sim/topology/specs/cluster_spec.h"

namespace simtrain {

struct ClusterGraph;

/// The links between a GPU and the memory of its host: its own, that of a switch which joins
/// several GPUs, and at the end the memory's, which is one for both directions.
struct HostWay {
  std::vector<int> to_host;
  std::vector<int> from_host;
  int memory = 0;
};

/// Adds the processors and memories of hosts, and the ways to them of all GPUs; by GPU. Throws
/// InputError where a node's file does not say what its host is like.
std::vector<HostWay> build_host_links(const ClusterSpec& spec, const std::vector<Host>& hosts,
                                      ClusterGraph& graph);

}  // namespace simtrain
