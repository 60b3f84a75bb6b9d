#pragma once

#include <map>
#include <utility>
#include <vector>

#include "sim/topology/gpu_links.h"
#include "sim/workload/step_plan.h"

namespace simtrain {

/// Gives each simulated rank its communicators, and each communicator the links it loads. A
/// communicator joins the ranks that stand for its own; each loads the links of its own GPU.
///
/// A ring over n ranks in N NVLink domains loads every rank's NVLink once and, where N > 1, every
/// rank's NIC with N/n of it: the channels enter and leave a domain over all the NICs of its ranks.
/// Links between switches are named only where they can bind.
class PlanGroups {
 public:
  /// `stand_in` names for each rank the one that is simulated for it.
  PlanGroups(const StepContext& context, Plan& plan, const std::vector<int>& stand_in)
      : context_(context), plan_(plan), stand_in_(stand_in), owners_(context.cluster) {}

  /// Appends those of `ranks` that stand for themselves.
  void add_ranks(const std::vector<int>& ranks);

 private:
  void add_group(std::uint32_t simulated, GroupSlot slot, const std::vector<int>& ranks);
  [[nodiscard]] std::vector<std::uint32_t> simulated_for(const std::vector<int>& ranks) const;
  void add_pair(GroupSlot slot, int from, int to);
  void add_world();
  void add_route(Group& group, const Route& route) const;
  void load_ring(Group& group, const std::vector<int>& ranks) const;
  void load_own_links(Group& group, int gpu, double nvlink_share, double nic_share) const;

  const StepContext& context_;
  Plan& plan_;
  const std::vector<int>& stand_in_;
  LinkOwners owners_;
  std::map<int, std::uint32_t> simulated_;                              ///< by rank
  std::map<std::pair<GroupSlot, std::uint32_t>, std::uint32_t> known_;  ///< by first member
};

}  // namespace simtrain
