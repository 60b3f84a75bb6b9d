#pragma once

#include <array>
#include <vector>

#include "sim/collectives/group_layout.h"
#include "sim/topology/placement/placement.h"
#include "sim/workload/parallel/colour_refinement.h"
#include "sim/workload/parallel/rank_grid.h"

namespace simtrain {

/// What distinguishes classes of ranks, as numbers that are equal where the facts are: how groups
/// lie and what GPUs bring. Each is worked out once, when first asked for.
class RankFacts {
 public:
  RankFacts(const Cluster& cluster, const Placement& placement, const RankGrid& grid);

  /// By rank the first rank of its group; none where its groups are of one rank each, but for those
  /// of a replica.
  const std::vector<int>& groups(GroupKind kind);
  /// For each of the first `items` ranks the same, once for each kind whose ranks meet on a level.
  std::vector<std::vector<int>> meetings(Level level, int items);
  int replica_of(int rank) { return groups(GroupKind::replica)[static_cast<std::size_t>(rank)]; }

  /// Of the layouts of a rank's groups of the kinds that are called on a level.
  std::vector<int> layouts(Level level, int rank);
  /// Of what a GPU itself brings: its slowdown and the capacities of its links.
  int device(int gpu);

 private:
  static std::size_t index(GroupKind kind) { return static_cast<std::size_t>(kind); }
  int layout(GroupKind kind, int rank);
  int number_of(const GroupLayout& layout);

  const Cluster& cluster_;
  const Placement& placement_;
  const RankGrid& grid_;
  std::array<std::vector<int>, kGroupKinds> groups_;   ///< by kind and rank
  std::array<std::vector<int>, kGroupKinds> layouts_;  ///< by kind and group; -1: not yet
  std::vector<GroupLayout> known_layouts_;             ///< few, and without an order
  std::vector<int> devices_;                           ///< by GPU; -1: not yet
  Numbering<std::vector<double>> device_numbers_;
};

}  // namespace simtrain
