#pragma once

#include <vector>

#include "sim/collectives/group_layout.h"
#include "sim/topology/cluster.h"
#include "sim/topology/placement/placement.h"
#include "sim/workload/parallel/rank_grid.h"

namespace simtrain {

/// Which ranks of a job are provably alike, all by rank. One rank of each class is simulated and
/// represents the others.
///
/// On both levels the classes are the coarsest that hold together (colour refinement): ranks start
/// as one class where they themselves are alike, and classes are split until ranks of one class are
/// in groups of the same classes. What happens at the same time to each class of a group then
/// happens at the same time to all of its ranks. That holds while the links of a rank carry nothing
/// but the calls of its own groups, so what ranks send each other
/// (sim/workload/parallel/messages.h) counts: in a pass, a TP x CP group whose messages leave by
/// other GPUs' NICs (PXN) or whose ranks share a NIC is alike only to one of the same picture, and
/// no two of its ranks are; in a step, such ranks are each in a class of their own, and ranks of
/// one class are alike in passes too, since what moves inside meets what moves beside. Where links
/// between switches can bind every rank is, until the plan of them all shows which are alike
/// (sim/workload/plan/folding).
struct RankClasses {
  /// Level one: TP x CP groups that run the pieces of a pass alike have one number, from 0 on.
  std::vector<int> pass;
  /// The first rank of its TP x CP group that runs pieces as this one does.
  std::vector<int> piece_like;
  /// Level two: ranks with one number, from 0 on, run the same program in a step: their stage,
  /// pass, layouts of groups, lengths of messages, links of their own and GPU are alike.
  std::vector<int> program;
  /// The first rank that goes through the step as this one does: of those with its TP, CP and DP
  /// coordinates exchanged for other ones over all stages (a pipeline), the first alike. By the
  /// plan, of those of its stage.
  std::vector<int> step_like;
  /// The rank that is simulated for it: the first alike, or unfolded the rank itself.
  std::vector<int> piece_representative;
  std::vector<int> step_representative;
  /// Whether only the plan of all ranks shows which are alike in a step, and each represents itself
  /// here: links between switches can bind, or ranks that are not alike share links to the memory
  /// of their hosts.
  bool by_plan = false;
  /// How all ranks lie, as one group.
  GroupLayout world;
};

/// `unfold`: every rank represents itself; the classes stay what they are. They are worked
/// out once for a placement and grid; the cluster keeps them as long as it lives.
const RankClasses& rank_classes(const Cluster& cluster, const Placement& placement,
                                const RankGrid& grid, bool unfold);

/// The first rank of each class of RankClasses::pass, for searches of many grids: without the rest,
/// which takes most of the time.
const std::vector<int>& first_of_passes(const Cluster& cluster, const Placement& placement,
                                        const RankGrid& grid);

/// The classes of ranks that are alike in each of several states of one cluster, so that they stay
/// alike whenever it goes from one to another: by state, which differ in `world` only.
std::vector<RankClasses> rank_classes(const std::vector<const Cluster*>& states,
                                      const Placement& placement, const RankGrid& grid,
                                      bool unfold);

}  // namespace simtrain
