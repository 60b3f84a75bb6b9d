#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/watch.h"
#include "sim/measured/profiles/predicted_profile.h"
#include "sim/measured/profiles/profile.h"
#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// One kind of kernel in a step of a rank.
struct KernelRow {
  KernelKind kind{};
  PredictedKernels predicted;
  double measured_calls = 0;
  double measured_s = 0;

  /// Predicted over measured time, less one, where both are there.
  [[nodiscard]] std::optional<double> error() const {
    if (!(predicted.seconds > 0) || !(measured_s > 0)) return std::nullopt;
    return predicted.seconds / measured_s - 1;
  }
};

/// One kind of call of NCCL, in all steps of a log.
struct CallRow {
  CallShape shape;
  std::int64_t predicted = 0;
  std::int64_t logged = 0;

  /// Of so many calls, by count and type.
  [[nodiscard]] double bytes(std::int64_t calls) const {
    return static_cast<double>(shape.count) * shape.element().bytes * static_cast<double>(calls);
  }
};

/// A profile, or a process of a log, beside the prediction for its rank.
struct ProfileComparison {
  std::string process;  ///< of a log of NCCL; empty for a profile
  int rank = 0;
  int stage = 0;
  std::string rank_from;  ///< why this rank
  std::int64_t steps = 0;
  std::string steps_from;  ///< how they are known
  /// Per step, for profiles of kernels: the whole step, and the part of it in which any kernel is
  /// on the GPU, where collectives wait for the slowest rank. Measured where the profile gives the
  /// times of each kernel, from the first to the last.
  double predicted_whole_s = 0;
  double predicted_busy_s = 0;
  std::optional<double> measured_whole_s;
  std::optional<double> measured_busy_s;
  /// Predicted, per step; see PredictedProfile. For profiles of kernels.
  double straggler_wait_s = 0;
  std::vector<KernelRow> kernels;  ///< per step, by kind; kinds that neither side has are left out
  std::vector<CallRow> calls;      ///< in all steps, where they are known; most bytes first
  std::vector<ProfiledKernel> unclassified;  ///< most time first; in all steps
};

/// The user's options for a profile.
struct ProfileRequest {
  std::optional<int> rank;
  std::optional<std::int64_t> steps;
  std::string before = "--";  ///< the names of these options, in errors

  [[nodiscard]] std::string rank_option() const { return before + "rank"; }
  [[nodiscard]] std::string steps_option() const { return before + "steps"; }
  /// Throws InputError at a value that none can be.
  void check() const;
};

/// Compares a profile with a simulated step: a profile of kernels once, a log of NCCL process by
/// process. A process whose rank is known, by a communicator as large as the job, is compared with
/// that one; `request.rank` chooses it among them, or, where none is known to be of that rank,
/// names the profiled rank. Otherwise the
/// profile is taken for that of the busiest rank, whose communication reports show.
///
/// Steps: as requested; or as the profile marks them, once for each GPU whose kernels it holds; or
/// the whole number by which most kinds of collectives agree. Throws InputError where they cannot
/// be known, where the log does not hold the requested rank, and where several of its processes do
/// not give their ranks.
std::vector<ProfileComparison> compare_profile(const SimulatedStep& simulated,
                                               const Profile& profile,
                                               const ProfileRequest& request);

/// A profile with what was made of it.
struct ProfileReport {
  Profile profile;
  std::vector<ProfileComparison> comparisons;
};

/// Simulates a scenario, with its ops counted by `ops`, and compares profiles of it.
std::vector<ProfileReport> compare_profiles(const Scenario& scenario, std::vector<Profile> profiles,
                                            const ProfileRequest& request, const Watch& ops = {});

}  // namespace simtrain
