#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/run/engine/executor_state.h"

namespace simtrain::execution {

/// What the transfers of each rank take of its GPU, and how that slows what it computes.
class RankLoads {
 public:
  explicit RankLoads(const Plan& plan) : plan_(plan), loads_(plan.ranks.size()) {}

  /// Asks memory for the load of a rank.
  void fetch(std::uint32_t rank) const { __builtin_prefetch(&loads_[rank]); }
  void set_computing(std::uint32_t rank, std::uint32_t activity) {
    loads_[rank].computing = activity;
  }
  void take_sms(std::uint32_t rank, int sms) {
    if (sms == 0) return;
    loads_[rank].sms += sms;
    touch(rank);
  }
  void add_traffic(std::uint32_t rank, std::int64_t change) {
    loads_[rank].traffic += change;
    touch(rank);
  }
  /// Notes that what a rank computes may change its speed.
  void touch(std::uint32_t rank) {
    if (std::exchange(loads_[rank].dirty, true)) return;
    dirty_.push_back(rank);
  }
  /// Hands out what the touched ranks compute, and forgets that they were touched.
  template <class Visit>
  void for_each_touched(const Visit& visit) {
    for (const std::uint32_t rank : dirty_) {
      loads_[rank].dirty = false;
      if (loads_[rank].computing != kNone) visit(loads_[rank].computing);
    }
    dirty_.clear();
  }

  /// How many times as long a compute op takes now, on the slowest of its ranks.
  [[nodiscard]] double slowdown(const Activity& activity) const {
    double slowest = 1;
    for (const Member& member : activity.members) {
      const RankLoad& state = loads_[member.rank];
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
  /// A transfer may hold at most this part of a GPU's SMs or memory bandwidth.
  static constexpr double kLargestShare = 0.5;

  const Plan& plan_;
  std::vector<RankLoad> loads_;  ///< by rank
  std::vector<std::uint32_t> dirty_;
};

}  // namespace simtrain::execution
