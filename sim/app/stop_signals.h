#pragma once

#include <atomic>
#include <csignal>
#include <thread>

namespace simtrain {

/// While one lives, the first SIGINT or SIGTERM is noted instead of ending the program, and a
/// second one ends it as ever. Make it before other threads start: those are to leave the signals
/// to it. A signal that was ignored stays ignored.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The number of the signal that came, 0 before.
  [[nodiscard]] const std::atomic<int>& came() const { return came_; }

 private:
  void listen();

  std::atomic<int> came_{0};
  std::atomic<bool> over_{false};
  sigset_t before_{};
  std::thread listener_;
};

}  // namespace simtrain
