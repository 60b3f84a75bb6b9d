#pragma once

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "sim/run/analysis/step_work.h"
#include "sim/run/results/report.h"

namespace simtrain::testing {

/// What of a step's kernels and transfers does not sum to its breakdown, share by share; empty
/// where all does.
inline std::string unlike_breakdown(const StepWork& work, const Report& report) {
  Breakdown sums{};
  for (const KernelWork& row : work.kernels) part(sums, row.share) += row.path_s;
  for (const TransferWork& row : work.transfers) part(sums, row.share) += row.path_s;
  std::string unlike;
  for (const auto& row : EnumNames<Share>::rows) {
    const double expected = is_waiting(row.second) ? 0 : part(report.breakdown, row.second);
    const double found = part(sums, row.second);
    if (std::abs(found - expected) > 1e-9 * report.step_time_s)
      unlike +=
          fmt::format("{}: {} s of rows, {} s of the breakdown; ", row.first, found, expected);
  }
  return unlike;
}

}  // namespace simtrain::testing
