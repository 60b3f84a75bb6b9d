#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/run/engine/executor_state.h"
#include "sim/run/engine/period/state_words.h"

namespace simtrain::execution {

/// A transfer may hold at most this part of a GPU's SMs or memory bandwidth.
inline constexpr double kLargestShare = 0.5;

/// What each rank computes, and what the transfers that it takes part in leave it.
class RankLoads {
 public:
  explicit RankLoads(const Plan& plan) : plan_(plan), loads_(plan.ranks.size()) {}

  /// The compute op that a rank runs, or kNone.
  [[nodiscard]] std::uint32_t& computing(std::uint32_t rank) { return loads_[rank].computing; }
  void fetch(std::uint32_t rank) const { __builtin_prefetch(&loads_[rank]); }

  void take_sms(std::uint32_t rank, int sms) {
    if (sms == 0) return;
    loads_[rank].sms += sms;
    touch(rank);
  }
  void add_traffic(std::uint32_t rank, std::int64_t change) {
    loads_[rank].traffic += change;
    touch(rank);
  }
  /// For another time to be compared with: numbers of activities by activity.
  void describe(const std::vector<std::uint32_t>& number, StateWords& words) const {
    for (const Load& load : loads_) {
      words.add(load.traffic);
      words.add(load.sms);
      words.add(load.computing == kNone ? kNone : number[load.computing]);
    }
  }
  /// Notes that what the rank computes is to have its speed set anew.
  void touch(std::uint32_t rank) {
    if (std::exchange(loads_[rank].dirty, true)) return;
    dirty_.push_back(rank);
  }
  /// Calls `slow` for what ranks compute whose load has changed since the last time.
  template <class Slow>
  void for_each_touched(const Slow& slow) {
    for (const std::uint32_t rank : dirty_) {
      loads_[rank].dirty = false;
      if (loads_[rank].computing != kNone) slow(loads_[rank].computing);
    }
    dirty_.clear();
  }

  /// How many times as long a compute op takes beside the transfers of its ranks.
  [[nodiscard]] double slowdown(const Activity& activity) const {
    double slowest = 1;
    for (const Member& member : activity.members) {
      const Load& state = loads_[member.rank];
      const double sms = std::min(kLargestShare, static_cast<double>(state.sms) / plan_.sm_count);
      const double traffic = std::clamp(static_cast<double>(state.traffic) / plan_.memory_bandwidth,
                                        0.0, kLargestShare);
      const ComputeCost& cost = *activity.cost;
      const double shared = state.traffic > 0 ? 1 + plan_.overlap_slowdown : 1;
      slowest =
          std::max(slowest, cost.sm_bound * shared / (1 - sms) + cost.memory_bound / (1 - traffic) +
                                (1 - cost.sm_bound - cost.memory_bound));
    }
    return slowest;
  }

 private:
  struct Load {
    std::int64_t traffic = 0;         ///< memory bytes per second of transfers
    int sms = 0;                      ///< taken by transfers
    std::uint32_t computing = kNone;  ///< its running compute activity
    bool dirty = false;               ///< its load changed at this point in time
  };

  const Plan& plan_;
  std::vector<Load> loads_;  ///< by rank
  std::vector<std::uint32_t> dirty_;
};

}  // namespace simtrain::execution
