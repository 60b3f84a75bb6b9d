#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "sim/measured/profile.h"

namespace simtrain {

/// Collects what a reader finds in a profile, in memory that does not grow without bound.
class ProfileBuilder {
 public:
  static constexpr std::size_t kLongestName = 1024;
  static constexpr std::size_t kMostNames = 20000;
  static constexpr std::size_t kMostShapes = 100000;
  static constexpr std::int64_t kMostCalls = 1'000'000'000'000;

  /// `calls` runs of a kernel; its name tells its kind when it first comes. Skips what cannot be.
  void kernel(std::string_view name, std::int64_t calls, double seconds, std::int64_t line);
  /// A call of NCCL by the rank of the profile.
  void call(const CallShape& shape, std::int64_t line);
  /// The same by a process.
  void call(std::string_view process, const CallShape& shape, std::int64_t line);
  /// The place of a process in one of its communicators.
  void communicator(std::string_view process, const ToldRank& place);
  /// A step that the profile marks.
  void step(std::int64_t number);
  /// The GPU of a kernel, by whatever name.
  void gpu(std::string_view name);
  void told(const ToldRank& rank) { profile_.told = rank; }
  void skip(std::int64_t line, std::string_view why) { add_skipped(profile_.skipped, line, why); }

  /// The profile, where it has ended. Call once.
  Profile take();

 private:
  LoggedProcess* process(std::string_view name);
  void count(CallCounts* calls, const CallShape& shape, std::int64_t line);

  Profile profile_;
  std::map<std::string, ProfiledKernel, std::less<>> kernels_;
  std::map<std::string, LoggedProcess, std::less<>> processes_;
  LoggedProcess* last_ = nullptr;  ///< of the call before
  std::size_t shapes_ = 0;
  std::set<std::int64_t> steps_;
  std::set<std::string, std::less<>> gpus_;
};

}  // namespace simtrain
