#pragma once

#include <array>
#include <vector>

#include "sim/collectives/group_layout.h"
#include "sim/topology/placement.h"
#include "sim/workload/colour_refinement.h"
#include "sim/workload/rank_grid.h"

namespace simtrain {

/// The groups that ranks are in. A replica is a TP x CP group; `amax` shares FP8 amax values.
enum class GroupKind { tensor, context, replica, data, amax };
inline constexpr std::array kGroupKinds{GroupKind::tensor, GroupKind::context, GroupKind::replica,
                                        GroupKind::data, GroupKind::amax};

/// What classes of ranks are told by, as numbers that are equal where the facts are: how groups lie
/// and what GPUs bring. Each is worked out once, when first asked for.
class RankFacts {
 public:
  RankFacts(const Cluster& cluster, const Placement& placement, const RankGrid& grid);

  /// For each of the first `items` ranks the first rank of its group.
  [[nodiscard]] std::vector<int> grouping(GroupKind kind, int items) const;
  /// The same of all ranks.
  [[nodiscard]] const std::vector<int>& groups(GroupKind kind) const {
    return groups_[index(kind)];
  }
  [[nodiscard]] int replica_of(int rank) const {
    return groups(GroupKind::replica)[static_cast<std::size_t>(rank)];
  }

  /// Of the layout of a rank's group.
  int layout(GroupKind kind, int rank);
  /// Of what a GPU itself brings: its slowdown and the capacities of its links.
  int device(int gpu);

 private:
  static std::size_t index(GroupKind kind) { return static_cast<std::size_t>(kind); }
  [[nodiscard]] int first_of(GroupKind kind, int rank) const;
  [[nodiscard]] std::vector<int> group_of(GroupKind kind, int rank) const;
  int number_of(const GroupLayout& layout);

  const Cluster& cluster_;
  const Placement& placement_;
  const RankGrid& grid_;
  std::array<std::vector<int>, kGroupKinds.size()> groups_;   ///< by kind and rank
  std::array<std::vector<int>, kGroupKinds.size()> layouts_;  ///< by kind and group; -1: not yet
  std::vector<GroupLayout> known_layouts_;                    ///< few, and without an order
  std::vector<int> devices_;                                  ///< by GPU; -1: not yet
  Numbering<std::vector<double>> device_numbers_;
};

}  // namespace simtrain
