#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/run/engine/bursts.h"
#include "sim/run/engine/timeline.h"

namespace simtrain {

/// A plan that holds from a time on until the next one does: of a step whose cluster changes on the
/// way. Plans of one step have the same ranks, groups and ops; they differ in what these cost, in
/// the links that they take and in what these hold.
struct PlanPhase {
  Duration from{};
  std::uint32_t state = 0;  ///< of the cluster; several phases may be of one
  const Plan* plan = nullptr;
  const PlanBursts* bursts = nullptr;
};

/// How much of an op's work was done in a state of the cluster.
struct StateShare {
  std::uint32_t state = 0;
  double share = 1;
};

/// In which states of the cluster the ops of a timeline ran.
struct OpStates {
  std::vector<std::vector<std::uint32_t>> ended_in;  ///< by simulated rank and op
  /// Of those that ran in several, by simulated rank and op: shares that sum to 1.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<StateShare>> cut;

  [[nodiscard]] std::vector<StateShare> of(std::uint32_t rank, std::uint32_t op) const {
    const auto found = cut.find({rank, op});
    if (found != cut.end()) return found->second;
    return {{ended_in.empty() ? 0 : ended_in[rank][op], 1}};
  }
};

/// The phases of a running plan, and what its activities did in each.
class PhaseLog {
 public:
  /// By time; the first is from the start on.
  PhaseLog(std::vector<PlanPhase> phases, std::size_t ranks) : phases_(std::move(phases)) {
    states_.ended_in.resize(ranks);
  }
  [[nodiscard]] const PlanPhase& current() const { return phases_[at_]; }
  [[nodiscard]] Duration next_time() const {
    return at_ + 1 < phases_.size() ? phases_[at_ + 1].from : Duration::max();
  }
  void advance() { ++at_; }
  void count_ops(std::uint32_t rank, std::size_t ops) { states_.ended_in[rank].resize(ops); }

  /// The phase ends, and an activity has `left` of its work to do, as a share of all.
  void cut(std::uint32_t activity, double left);
  /// A rank's op ends with its activity.
  void note_end(std::uint32_t activity, std::uint32_t rank, std::uint32_t op);
  /// An activity has ended; its number is given again.
  void forget(std::uint32_t activity) { cut_.erase(activity); }
  [[nodiscard]] OpStates take() { return std::move(states_); }

 private:
  struct Cut {
    std::vector<StateShare> done;
    double left = 1;
  };
  static void add(std::vector<StateShare>& shares, StateShare more);

  std::vector<PlanPhase> phases_;
  std::size_t at_ = 0;
  std::map<std::uint32_t, Cut> cut_;
  OpStates states_;
};

}  // namespace simtrain
