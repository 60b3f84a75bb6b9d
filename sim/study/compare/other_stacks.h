#pragma once

#include <string>
#include <vector>

#include "sim/study/compare/common_cause.h"

namespace simtrain {

/// A file of `hardware/software`, taken for the one that the runs had.
struct OtherStack {
  std::string name;
  std::string refusal;              ///< why some run cannot be simulated with it; no figures then
  std::vector<double> predicted_s;  ///< of each run with it, simulated
  std::vector<double> errors;       ///< of each: predicted over measured, less one
  double left = 0;                  ///< root mean square of ln(measured / predicted) with it
  bool explains = false;            ///< what is left of every run is what equal runs differ by
};

/// Which software stack the runs could have had instead of the one that their scenarios name.
struct OtherStacks {
  double before = 0;    ///< root mean square of ln(measured / predicted) as the scenarios are
  double noise = 0;     ///< as CommonCauses::noise
  bool needed = false;  ///< an error is larger than the noise; else nothing is tried
  std::vector<OtherStack> stacks;  ///< by what is left, least first; what is refused last

  /// Whether a stack takes enough of the errors away to be a cause (CommonCauses::kWorthReporting).
  [[nodiscard]] bool worth_reporting(const OtherStack& stack) const {
    return stack.refusal.empty() && stack.left < CommonCauses::kWorthReporting * before;
  }
};

/// Simulates every run with each software stack that is not its own already.
OtherStacks other_stacks(const DataFolder& data, const std::vector<RunToExplain>& runs,
                         const Watch& watch = {});

}  // namespace simtrain
