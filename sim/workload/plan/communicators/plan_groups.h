#pragma once

#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/collectives/group_links.h"
#include "sim/workload/plan/communicators/program_calls.h"
#include "sim/workload/plan/step_context.h"

namespace simtrain {

/// Gives each simulated rank its communicators, and each communicator the links it loads. A
/// communicator joins the ranks that represent its own; each loads the links of its own GPU, as the
/// algorithms of its calls do (see GroupLinks), and where none of them represents others, also
/// those of GPUs that carry its messages.
class PlanGroups {
 public:
  /// `plan` has its programs, whose calls are `calls`; `representative` names for each rank the one
  /// that is simulated for it, `like` the first that is alike.
  PlanGroups(const JobContext& context, Plan& plan, const ProgramCalls& calls,
             const std::vector<int>& representative, const std::vector<int>& like);

  /// Appends those of `ranks` that represent themselves.
  void add_ranks(const std::vector<int>& ranks);

 private:
  void add_group(std::uint32_t simulated, GroupKind kind);
  [[nodiscard]] std::vector<std::uint32_t> simulated_for(const std::vector<int>& ranks) const;
  [[nodiscard]] std::vector<LinkShare> message_links(const Group& group, int connections) const;
  void add_pair(GroupKind kind, int from, int to);
  [[nodiscard]] std::uint32_t simulated(int rank) const {
    return simulated_[static_cast<std::size_t>(rank)];
  }
  void add_world();
  void number_links();
  void note_call(GroupKind kind, const TransferCost& cost);

  static constexpr std::uint32_t kNone = 0xffffffffU;

  const JobContext& context_;
  Plan& plan_;
  const std::vector<int>& representative_;
  const std::vector<int>& like_;
  GroupLinks links_;
  std::array<std::vector<TransferCost>, kGroupKinds> calls_;  ///< by kind: one of each algorithm
  std::vector<std::uint32_t> simulated_;                      ///< by rank; kNone: it is not
  std::map<std::pair<GroupKind, std::uint32_t>, std::uint32_t> known_;  ///< by first member
  std::set<std::pair<GroupKind, std::uint32_t>> joined_;  ///< simulated ranks that have their group
};

}  // namespace simtrain
