#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <simtrain/scenario.h>
#include <simtrain/study.h>

/// What a profiler saw of a rank, alone and beside the prediction for it, as `simtrain profile`
/// tells it.
namespace simtrain::api {

/// Kernels of one kind in a step of a rank, predicted and measured.
struct KernelTimes {
  std::string kind;
  double predicted_s = 0;          ///< a collective's from when its last member has come
  double predicted_waiting_s = 0;  ///< collectives: before that, on the GPU
  std::int64_t predicted_calls = 0;
  double measured_s = 0;
  std::optional<double> error;  ///< predicted over measured time, less one
  double measured_calls = 0;
};

/// Calls of NCCL that are alike, in all profiled steps.
struct NcclCalls {
  std::string function;                   ///< AllReduce, Send and the like
  std::optional<int> ranks;               ///< of the communicator; none of Send and Recv
  std::string type;                       ///< of an element
  std::int64_t count = 0;                 ///< elements, as NCCL counts them
  std::int64_t bytes = 0;                 ///< of one call
  std::optional<std::int64_t> predicted;  ///< none without a scenario
  std::int64_t logged = 0;
};

/// All runs of the kernels of one name in a profile.
struct NamedKernel {
  std::string name;
  std::string kind;
  std::int64_t calls = 0;
  double time_s = 0;
};

/// A profile, or one process of a log of NCCL, beside the prediction for its rank.
struct ProfiledRank {
  std::string process;  ///< host:pid of a log of NCCL; empty for a profile
  int rank = 0;
  int stage = 0;
  std::string rank_from;  ///< why this rank
  std::int64_t steps = 0;
  std::string steps_from;  ///< how they are known
  /// Of a step, by profiles of kernels alone: the whole, and the part in which any kernel is on
  /// the GPU. Measured where the profile gives the times of each kernel.
  std::optional<double> predicted_s;
  std::optional<double> predicted_busy_s;
  std::optional<double> measured_s;
  std::optional<double> measured_busy_s;
  std::optional<double> predicted_straggler_wait_s;  ///< in no kind of kernel
  std::vector<KernelTimes> kernels;                  ///< of a step
  std::vector<NamedKernel> unclassified;             ///< of no known kind; in all steps
  std::vector<NcclCalls> calls;                      ///< in all steps; most bytes first
};

/// What one process calls of NCCL by a log.
struct NcclProcess {
  std::string process;      ///< host:pid
  std::optional<int> rank;  ///< in the largest of its communicators
  std::vector<NcclCalls> calls;
};

/// One file of a profiler.
struct ProfiledFile {
  std::string path;
  std::string format;  ///< of `simtrain list profile-formats`
  std::int64_t lines = 0;
  int gpus = 0;             ///< whose kernels these are
  bool incomplete = false;  ///< calls were left out, for want of place
  std::int64_t skipped_lines = 0;
  std::optional<std::int64_t> steps;      ///< where the profile itself marks them
  std::vector<NamedKernel> kernels;       ///< most time first; in all steps
  std::vector<NcclCalls> calls;           ///< of NCCL, where a trace gives them
  std::int64_t untold_calls = 0;          ///< kernels of NCCL whose call it does not give
  std::vector<NcclProcess> processes;     ///< of a log of NCCL
  std::vector<ProfiledRank> comparisons;  ///< none without a scenario
};

struct Profile {
  std::string scenario;  ///< title; empty without one
  std::vector<ProfiledFile> profiles;
  std::string text;  ///< the report of `simtrain profile`
  std::string json;  ///< schema simtrain.profile/1
};

struct ProfileOptions {
  std::optional<int> rank;            ///< whose profile it is; none: as the profile gives it, or
                                      ///< the busiest rank's
  std::optional<std::int64_t> steps;  ///< training steps in it; none: as it marks them, or as the
                                      ///< numbers of collectives show
  std::string format;                 ///< of `simtrain list profile-formats`; empty: by content
};

/// Reads profiles: tables and databases of nsys, traces of torch.profiler, logs of NCCL; plain or
/// gzip. With a scenario it simulates that and compares. `progress` counts the files. Throws
/// InputError where one cannot be read, where neither it nor the options say how many steps it is
/// or which processes of a log are of which rank, and at these options without a scenario.
[[nodiscard]] Profile profile(const std::vector<std::string>& paths,
                              const std::optional<Scenario>& scenario = {},
                              const ProfileOptions& options = {}, const Progress& progress = {});

}  // namespace simtrain::api
