#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/core/quantity.h"

namespace simtrain {

/// A job of a plan of several: ranks that follow one another. It begins a step at `start`, and the
/// next when all its ranks have ended the last.
struct RepeatedJob {
  std::uint32_t first = 0;  ///< simulated rank
  std::uint32_t end = 0;    ///< behind its last
  Duration start{};
};

/// Which steps count: those that begin after each job has had `warm_up` steps beside all others, up
/// to the time at which each has `counted` of them.
struct StepsToCount {
  int warm_up = 1;
  int counted = 4;
};

/// The steps of jobs that repeat them, as the event loop tells of them.
class JobSteps {
 public:
  JobSteps(std::vector<RepeatedJob> jobs, StepsToCount wanted);

  [[nodiscard]] const std::vector<RepeatedJob>& jobs() const { return jobs_; }
  [[nodiscard]] std::uint32_t job_of(std::uint32_t rank) const;
  void begin(std::uint32_t job, Duration now, std::size_t ops);
  /// Some ops of the job's step ended; true where that is the step's end.
  bool ended(std::uint32_t job, std::size_t ops, Duration now);

  /// Each job has had its steps to warm up, since `opened`.
  [[nodiscard]] bool open() const { return open_; }
  [[nodiscard]] Duration opened() const { return opened_; }
  [[nodiscard]] bool complete() const { return missing_ == 0; }
  /// How long the steps of a job took that count, in their order.
  [[nodiscard]] const std::vector<Duration>& counted(std::uint32_t job) const {
    return states_[job].counted;
  }

 private:
  struct State {
    bool running = false;
    Duration begun{};
    std::size_t left = 0;  ///< ops of its step
    int warm = 0;          ///< steps that began when all had started
    std::vector<Duration> counted;
  };
  void note_step(State& state, Duration now);

  std::vector<RepeatedJob> jobs_;
  StepsToCount wanted_;
  std::vector<State> states_;
  std::size_t started_ = 0;  ///< jobs
  Duration all_started_{};
  std::size_t cold_;     ///< jobs that are still to warm up
  std::size_t missing_;  ///< jobs with too few steps that count
  bool open_ = false;
  Duration opened_{};
};

inline JobSteps::JobSteps(std::vector<RepeatedJob> jobs, StepsToCount wanted)
    : jobs_(std::move(jobs)),
      wanted_(wanted),
      states_(jobs_.size()),
      cold_(jobs_.size()),
      missing_(jobs_.size()) {}

inline std::uint32_t JobSteps::job_of(std::uint32_t rank) const {
  const auto behind =
      std::upper_bound(jobs_.begin(), jobs_.end(), rank,
                       [](std::uint32_t value, const RepeatedJob& job) { return value < job.end; });
  return static_cast<std::uint32_t>(behind - jobs_.begin());
}

inline void JobSteps::begin(std::uint32_t job, Duration now, std::size_t ops) {
  State& state = states_[job];
  if (!std::exchange(state.running, true) && ++started_ == jobs_.size()) {
    all_started_ = now;
    if (wanted_.warm_up == 0) {
      open_ = true;
      opened_ = now;
    }
  }
  state.begun = now;
  state.left = ops;
}

inline bool JobSteps::ended(std::uint32_t job, std::size_t ops, Duration now) {
  State& state = states_[job];
  state.left -= ops;
  if (state.left > 0) return false;
  note_step(state, now);
  return true;
}

inline void JobSteps::note_step(State& state, Duration now) {
  if (started_ < jobs_.size() || state.begun < all_started_) return;
  if (open_) {
    if (state.begun < opened_) return;
    state.counted.push_back(now - state.begun);
    if (static_cast<int>(state.counted.size()) == wanted_.counted) --missing_;
  } else if (++state.warm == wanted_.warm_up && --cold_ == 0) {
    open_ = true;
    opened_ = now;
  }
}

}  // namespace simtrain
