#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/run/engine/executor_state.h"
#include "sim/run/engine/period/program_period.h"
#include "sim/run/engine/period/state_words.h"

namespace simtrain::execution {

/// Where a running plan was when its first rank had come to the same op of a period.
struct Checkpoint {
  StateWords state;
  std::vector<std::array<std::uint32_t, kStreams>> next;  ///< by rank: RankState::next
  std::vector<std::uint32_t> counts;                      ///< of GroupSeats
  Duration at{};
  std::uint64_t events = 0;
  std::size_t ended = 0;
};

/// Watches a running plan for the time from which on its periods are alike.
class PeriodWatch {
 public:
  /// Of no plan, where it changes on the way, begins again or is observed.
  explicit PeriodWatch(const Plan* plan) {
    if (plan == nullptr) return;
    periods_ = program_periods(plan->programs);
    if (periods_.empty()) return;
    const std::uint32_t first = plan->ranks.front().program;
    const ProgramPeriod& period = periods_[first];
    stream_ = stream_of(plan->programs[first].ops[period.first]);
    threshold_ = period.first + period.ops;
    step_ = period.ops;
    end_ = period.end;
  }

  [[nodiscard]] bool due(const RankState& first_rank) const {
    return first_rank.next[stream_] >= threshold_ && threshold_ != kNever;
  }
  [[nodiscard]] const ProgramPeriod& of(std::uint32_t program) const { return periods_[program]; }
  /// Periods that have passed at this checkpoint.
  [[nodiscard]] std::uint32_t passed() const { return passed_; }
  /// The last that was kept.
  [[nodiscard]] std::optional<Checkpoint>& last() { return last_; }
  /// To look again when another period has passed, while there are more, a limited number of times.
  void keep(Checkpoint checkpoint) {
    constexpr std::uint32_t kMostLooks = 48;
    last_ = std::move(checkpoint);
    threshold_ += step_;
    if (++passed_ == kMostLooks || threshold_ >= end_) stop();
  }
  void stop() {
    threshold_ = kNever;
    last_.reset();
  }

 private:
  static constexpr std::uint32_t kNever = 0xffffffffU;
  std::vector<ProgramPeriod> periods_;  ///< by program
  std::size_t stream_ = 0;              ///< of the first rank, which is watched
  std::uint32_t threshold_ = kNever;    ///< its op
  std::uint32_t step_ = 0;
  std::uint32_t end_ = 0;
  std::uint32_t passed_ = 0;
  std::optional<Checkpoint> last_;
};

}  // namespace simtrain::execution
