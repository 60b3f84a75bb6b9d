#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sim/collectives/libraries/nccl/nccl_names.h"
#include "sim/measured/profiles/kernel_kind.h"
#include "sim/measured/run/measured_run.h"

namespace simtrain {

/// All runs of the kernels of one name in a profile.
struct ProfiledKernel {
  std::string name;  ///< its first `ProfileBuilder::kLongestName` bytes
  KernelKind kind{};
  std::int64_t calls = 0;
  double seconds = 0;
};

/// What makes calls of NCCL alike.
struct CallShape {
  NcclFunction function{};
  int ranks = 0;           ///< of the communicator; 0 for Send and Recv: frameworks differ in whose
  int type = 0;            ///< ncclDataType_t
  std::int64_t count = 0;  ///< elements, as NCCL counts them

  [[nodiscard]] const NcclType& element() const {
    return kNcclTypes[static_cast<std::size_t>(type)];
  }
  /// Of one call, by count and type.
  [[nodiscard]] std::int64_t bytes() const { return count * element().bytes; }

  friend bool operator==(const CallShape&, const CallShape&) = default;
  friend bool operator<(const CallShape& one, const CallShape& other) {
    return std::tie(one.function, one.ranks, one.type, one.count) <
           std::tie(other.function, other.ranks, other.type, other.count);
  }
};
using CallCounts = std::map<CallShape, std::int64_t>;

/// A place among so many ranks: of one of a process's communicators, or of the job that a trace
/// names. The rank of the predicted job only where that has as many.
struct RankPlace {
  int rank = 0;
  int ranks = 0;
};

/// What one process calls of NCCL by a log.
struct LoggedProcess {
  std::string name;                ///< host:pid
  std::optional<RankPlace> place;  ///< in the largest of its communicators
  CallCounts calls;
};

/// A profile or a log of NCCL calls, read.
struct Profile {
  std::string path;
  std::string format;                    ///< a name of profile_formats(); empty: of none of them
  std::string foreign;                   ///< without a format: what it looks like, or nothing
  std::string damage;                    ///< why a file of a format cannot be read, or nothing
  std::vector<ProfiledKernel> kernels;   ///< most time first
  CallCounts calls;                      ///< of NCCL, where the trace gives them
  std::int64_t unknown_calls = 0;        ///< kernels of NCCL whose call the trace does not give
  std::vector<LoggedProcess> processes;  ///< by name; of a log of NCCL
  std::optional<std::int64_t> steps;     ///< where the profile itself marks them
  /// Seconds from the first kernel to the last one, and those in which any ran; summed over its
  /// GPUs. Where the profile gives the times of each kernel.
  std::optional<double> whole_s;
  std::optional<double> busy_s;
  std::optional<RankPlace> place;  ///< of the profiled rank, where the file gives it
  int gpus = 1;                    ///< whose kernels these are, where that is known
  bool incomplete = false;         ///< calls were left out, for want of place
  SkippedLines skipped;
  std::int64_t lines = 0;
  std::int64_t events = 0;  ///< of a trace: read instead of lines; one cut off as well
  std::int64_t bytes = 0;   ///< after decompression
};

}  // namespace simtrain
