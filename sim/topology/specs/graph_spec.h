#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/fields.h"
#include "sim/core/quantity.h"
#include "sim/core/source_place.h"
#include "sim/topology/specs/node_spec.h"

namespace simtrain {

class DataFolder;

/// Hosts of one kind in a cluster's own graph. One is called by `name`, several `name0`, `name1`...
struct GraphHosts {
  std::string name;
  std::string node;
  int count = 1;
  SourcePlace where;
  NodeSpec spec;  ///< what `node` names

  [[nodiscard]] std::string host_name(int number) const {
    return count == 1 ? name : name + std::to_string(number);
  }
};
template <>
struct Fields<GraphHosts>;

struct GraphSwitch {
  std::string name;
  SourcePlace where;
};
template <>
struct Fields<GraphSwitch>;

/// A cable, equal in both directions. To a host it is one of each NIC in `nics` (all, if left out);
/// the name of an entry of several hosts means one from each.
struct GraphLink {
  std::string from;
  std::string to;
  Bandwidth bandwidth;
  Duration latency{};  ///< of the cable and the switch that it leads to
  std::optional<std::vector<int>> nics;
  SourcePlace where;
};
template <>
struct Fields<GraphLink>;

/// One's own cluster as it is wired: key `graph` of a cluster file. Every NIC has one link.
struct GraphSpec {
  std::vector<GraphHosts> hosts;
  std::vector<GraphSwitch> switches;
  std::vector<GraphLink> links;
  SourcePlace where;

  /// All hosts of all entries.
  [[nodiscard]] int count() const;
  /// The entry of the host at this place in host order, and the place of an entry's first host.
  [[nodiscard]] const GraphHosts& entry_of(int host) const;
  [[nodiscard]] int first_of(const GraphHosts& entry) const;
};
template <>
struct Fields<GraphSpec>;

/// The graph with its nodes read. Throws InputError, with its place, where a name is unknown or
/// appears twice, GPUs differ, a NIC or switch has no link, a NIC has two, or parts are not joined.
GraphSpec load_graph(const DataFolder& data, GraphSpec graph);

}  // namespace simtrain
