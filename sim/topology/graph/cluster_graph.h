#pragma once

#include <boost/graph/adjacency_list.hpp>

#include "sim/topology/specs/device.h"

namespace simtrain {

/// Vertices: all GPUs, then all NICs, both in host order, NVLink switches, switches of the fabric.
/// A class of its own, so that headers can name it without all of Boost.Graph.
struct ClusterGraph
    : boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Device, Link> {};

/// Adds one link in each direction, of at least one picosecond, since nothing takes no time.
void connect(ClusterGraph& graph, std::size_t a, std::size_t b, Bandwidth bandwidth,
             Duration latency);

}  // namespace simtrain
