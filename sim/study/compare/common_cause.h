#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/core/threads/parallel_each.h"
#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// The measured step time of a plan, the mean where it ran several times, and what predicts it.
struct RunToExplain {
  ScenarioSource source;
  std::string row;
  std::vector<Setting> settings;
  double measured_s = 0;
  double predicted_s = 0;
};

/// One number of `hardware/`, taken as the only one that is wrong.
struct CommonCause {
  std::string file;  ///< below `hardware/`
  std::string key;   ///< as `find_number` takes it
  std::string unit;
  std::string source;               ///< of the value that the file holds
  double value = 0;                 ///< that the file holds
  double needed = 0;                ///< that explains the runs best
  bool at_end = false;              ///< more would help, but the file takes no more, or kFarthest
  std::vector<double> predicted_s;  ///< of each run with it, simulated
  double left = 0;                  ///< root mean square of ln(measured / predicted) with it
  bool explains = false;            ///< what is left of every run is what equal runs differ by
};

/// Which numbers could make the gaps of several runs, and how much of them.
struct CommonCauses {
  static constexpr std::size_t kMost = 10;      ///< that are looked at closely and kept
  static constexpr double kFarthest = 4;        ///< a number is changed by at most this factor
  static constexpr double kLeastEffect = 1e-3;  ///< of a number's logarithm on a step time's

  static constexpr double kWorthReporting = 0.9;  ///< a cause leaves at most this part of the gaps

  double before = 0;  ///< root mean square of ln(measured / predicted) as the files are
  double noise = 0;   ///< the same of one run that counts as explained: 1.645 run-to-run deviations
  bool needed = false;  ///< a gap is larger than the noise; else nothing is tried
  int tried = 0;        ///< numbers of the files that the runs are made of
  int without_effect = 0;
  std::vector<CommonCause> causes;  ///< by what is left, least first
};

/// Looks for the one number of `hardware/` (GPU, node, fabric, cluster, software, user-buffer
/// table) which, changed, explains the gaps of all runs best. Every run is tried with half and
/// twice of each number and, where that does something, with kFarthest of it (estimated_step_time);
/// of the kMost numbers that leave least by straight lines between these, the best change is
/// simulated and the lines drawn anew until it moves no more. Counts and zeros stay as they are;
/// where a file takes no half or twice, less is tried. What leaves more than kWorthReporting
/// of the gaps is no cause.
///
/// The runs should be of several plans, each once: one plan's gap can be explained by nearly every
/// number.
CommonCauses common_causes(const DataFolder& data, const std::vector<RunToExplain>& runs,
                           const Watch& watch = {});

}  // namespace simtrain
