#pragma once

#include <map>
#include <optional>
#include <vector>

#include "sim/core/quantity.h"

namespace simtrain {

struct ClusterGraph;

/// One entry of a switch's forwarding table.
struct NextHop {
  int link;
  std::size_t to;  ///< vertex
};

/// How every switch of the fabric forwards towards one of them: over all ways of fewest hops, as
/// minimal InfiniBand routing and Ethernet ECMP do. Links without bandwidth are not used.
class ForwardingTable {
 public:
  /// `first_switch`: the fabric's switches are this vertex and all behind it.
  ForwardingTable(const ClusterGraph& graph, std::size_t first_switch, std::size_t goal);

  [[nodiscard]] bool reaches(std::size_t from) const { return entry(from).hops >= 0; }
  /// Links between switches on the way from here to the goal.
  [[nodiscard]] int hops(std::size_t from) const { return entry(from).hops; }
  /// Latency of these links, of the slowest way where ways differ.
  [[nodiscard]] Duration latency(std::size_t from) const { return entry(from).latency; }
  /// Equally short next steps, in order of links.
  [[nodiscard]] const std::vector<NextHop>& next(std::size_t from) const {
    return entry(from).next;
  }

 private:
  struct Entry {
    int hops = -1;
    Duration latency{};
    std::vector<NextHop> next;
  };
  [[nodiscard]] const Entry& entry(std::size_t vertex) const {
    return entries_[vertex - first_switch_];
  }

  std::size_t first_switch_;
  std::vector<Entry> entries_;
};

}  // namespace simtrain
