#pragma once

#include <string>

#include <boost/graph/adjacency_list.hpp>

#include "sim/core/quantity.h"

namespace simtrain {

enum class VertexKind { gpu, nvswitch, nic, leaf, spine, core };

/// A device of the cluster. `group` is its host (gpu, nic), NVLink domain (nvswitch), unit (leaf)
/// or block (spine); `index` its number there: local GPU or NIC, switch plane, rail, spine. `name`
/// is what messages and faults call it; GPUs, NICs and NVLink switches go by host and number
/// instead.
struct Device {
  VertexKind kind{};
  int group = 0;
  int index = 0;
  std::string name{};
};

/// One direction of a cable or board trace.
struct Link {
  Bandwidth bandwidth;
  Duration latency{};
  int id = 0;
};

/// Vertices: all GPUs, then all NICs, both in host order, NVLink switches, switches of the fabric.
using ClusterGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Device, Link>;

/// Adds one link in each direction, of at least one picosecond, since nothing takes no time.
void connect(ClusterGraph& graph, std::size_t a, std::size_t b, Bandwidth bandwidth,
             Duration latency);

}  // namespace simtrain
