#pragma once

#include <atomic>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

namespace simtrain {

/// While one lives, a SIGINT or SIGTERM that ends the program first removes what PartialFile left
/// beside some files. Make it before other threads start: those are to leave the signals to it. A
/// signal that was ignored stays ignored.
class StopSignals {
 public:
  enum class First { ends, is_noted };

  /// `files`: those that this process may be writing. With `is_noted` the first signal is noted
  /// instead of ending the program, and a second one ends it.
  StopSignals(First first, std::vector<std::string> files);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The number of the signal that was noted, 0 before.
  [[nodiscard]] const std::atomic<int>& came() const { return came_; }

 private:
  void listen();

  First first_;
  std::vector<std::string> files_;
  std::atomic<int> came_{0};
  std::atomic<bool> over_{false};
  sigset_t before_{};
  std::thread listener_;
};

}  // namespace simtrain
