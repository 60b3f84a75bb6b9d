#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "sim/measured/profiles/busy_time.h"
#include "sim/measured/profiles/profile.h"

namespace simtrain {

/// Collects what a reader finds in a profile, in memory that does not grow without bound.
class ProfileBuilder {
 public:
  ProfileBuilder() = default;
  ProfileBuilder(const ProfileBuilder&) = delete;
  ProfileBuilder& operator=(const ProfileBuilder&) = delete;
  ProfileBuilder(ProfileBuilder&&) = delete;
  ProfileBuilder& operator=(ProfileBuilder&&) = delete;
  ~ProfileBuilder() = default;

  static constexpr std::size_t kLongestName = 1024;
  static constexpr std::size_t kLongestProcess = 256;
  static constexpr std::size_t kMostNames = 20000;
  static constexpr std::size_t kMostShapes = 100000;
  static constexpr std::int64_t kMostCalls = 1'000'000'000'000;

  /// The GPU of the kernels and calls that follow, by whatever name; empty: unknown. False where
  /// there are too many of them.
  bool gpu(std::string_view name, std::int64_t line);
  /// `calls` runs of a kernel; its name gives its kind when it first comes. Skips what cannot be.
  void kernel(std::string_view name, std::int64_t calls, double seconds, std::int64_t line);
  /// When a kernel or a copy ran, in nanoseconds of any clock.
  void ran(std::int64_t start_ns, std::int64_t end_ns) { current_->busy.add(start_ns, end_ns); }
  /// A call of NCCL by the rank of the profile.
  void call(const CallShape& shape, std::int64_t line);
  /// A kernel of NCCL whose call the profile does not give.
  void unknown_call() { ++current_->unknown_calls; }
  /// A call of NCCL by a process.
  void call(std::string_view process, const CallShape& shape, std::int64_t line);
  /// The place of a process in one of its communicators.
  void communicator(std::string_view process, const RankPlace& place, std::int64_t line);
  /// A step that the profile marks.
  void step(std::int64_t number);
  /// Whose profile it is: one rank's, so that only the GPU with most kernel time counts.
  void belongs_to(const RankPlace& place) { profile_.place = place; }
  void skip(std::int64_t line, std::string_view why) { add_skipped(profile_.skipped, line, why); }

  /// The profile, where it has ended. Call once.
  Profile take();

 private:
  /// What ran on one GPU.
  struct Gpu {
    std::map<std::string, ProfiledKernel, std::less<>> kernels;
    CallCounts calls;
    std::int64_t unknown_calls = 0;
    std::int64_t runs = 0;
    double seconds = 0;
    BusyTime busy;
    std::int64_t first_line = 0;
  };

  LoggedProcess* process(std::string_view name, std::int64_t line);
  void count(CallCounts& calls, const CallShape& shape, std::int64_t line);
  void leave_out_other_gpus();
  void count_gpus();
  void merge(Gpu& gpu);

  Profile profile_;
  std::map<std::string, Gpu, std::less<>> gpus_;
  Gpu* current_ = &gpus_[""];
  std::size_t names_ = 0;
  std::map<std::string, LoggedProcess, std::less<>> processes_;
  LoggedProcess* last_ = nullptr;  ///< of the call before
  std::size_t shapes_ = 0;
  std::set<std::int64_t> steps_;
};

}  // namespace simtrain
