#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/topology/link_sharing.h"
#include "sim/workload/kernels/program.h"

namespace simtrain {

/// The links that calls of one algorithm load in a communicator.
struct LinkSet {
  Algorithm algorithm{};
  LinkLoad load;
  std::vector<LinkShare> links;
  [[nodiscard]] bool serves(const TransferCost& cost) const {
    return cost.algorithm == algorithm && cost.load == load;
  }
};

/// The transfers that passes hold inside, on one kind of group, as flows of the step: `group` with
/// the link set that serves their call.
struct InnerFlow {
  std::size_t kind = 0;  ///< place in inner_kinds()
  std::uint32_t group = 0;
  std::size_t link_set = 0;  ///< as Group::set_of counts
};

/// A communicator among simulated ranks: the k-th op of each member on it is one collective. Its
/// flow takes `links` (by the plan's ids), or those of the set that serves its algorithm. A group
/// whose other members are folded away has one member.
struct Group {
  std::vector<std::uint32_t> members;  ///< indices of simulated ranks
  std::vector<LinkShare> links;
  std::vector<LinkSet> link_sets{};
  /// Of the ranks that run passes together: the flows inside whose links are too small for them and
  /// what else the step sends over them.
  std::vector<InnerFlow> inner{};

  /// Counted from 1, the link set that serves a call; 0 for `links`.
  [[nodiscard]] std::size_t set_of(const TransferCost& cost) const {
    std::size_t set = 0;
    while (set < link_sets.size() && !link_sets[set].serves(cost)) ++set;
    return set < link_sets.size() ? set + 1 : 0;
  }
  [[nodiscard]] const std::vector<LinkShare>& links_at(std::size_t set) const {
    return set == 0 ? links : link_sets[set - 1].links;
  }
  [[nodiscard]] const std::vector<LinkShare>& links_of(const TransferCost& cost) const {
    return links_at(set_of(cost));
  }
};

/// A simulated rank: the program it runs and its group at each slot.
struct SimulatedRank {
  std::uint32_t program = 0;
  int rank = 0;   ///< the (first) rank of the job that it represents
  int like = 0;   ///< the first rank of the job that is alike, simulated or not
  int stage = 0;  ///< pipeline stage
  std::array<std::uint32_t, kGroupKinds> groups{};
};

/// All that the executor needs. Immutable once built.
struct Plan {
  std::vector<Program> programs;
  std::vector<SimulatedRank> ranks;
  std::vector<Group> groups;
  std::vector<double> link_capacities;  ///< bytes per second by link id of the plan
  std::vector<int> cluster_links;       ///< link id in the cluster by link id of the plan
  std::vector<bool> between_switches;   ///< by link id of the plan: no GPU owns it
  int sm_count = 1;
  double memory_bandwidth = 1;  ///< bytes per second
  double overlap_slowdown = 0;  ///< of SM-bound work while data moves, beyond the SMs taken
};

}  // namespace simtrain
