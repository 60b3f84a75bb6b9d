#pragma once

#include <map>
#include <string>

#include "sim/topology/specs/graph_spec.h"

namespace simtrain {

/// Hosts that follow one another, by their places in host order.
struct HostRange {
  int first = 0;
  int count = 0;
};

/// What each name of a graph's hosts means: that of an entry all of its hosts, that of a host
/// itself.
std::map<std::string, HostRange> host_ranges(const GraphSpec& graph);

}  // namespace simtrain
