#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/study/sweep/sweep_row.h"

namespace simtrain {

// Summaries of the rows of a sweep. Pointers are to those rows.

/// How many rows have which status, and why candidates were not simulated.
struct SweepCounts {
  std::array<std::size_t, kSweepStatuses> statuses{};
  /// Like reasons as one, numbers that differ as N, most frequent first.
  std::vector<std::pair<std::string, std::size_t>> reasons;

  [[nodiscard]] std::size_t of(SweepStatus status) const {
    return statuses[static_cast<std::size_t>(status)];
  }
};
SweepCounts sweep_counts(const std::vector<SweepRow>& rows);

/// The rows that share a value of one or two keys.
struct SweepMapCell {
  std::size_t done = 0;
  std::size_t fitting = 0;
  const SweepRow* fastest = nullptr;  ///< of those that fit, as the next two
  const SweepRow* highest_mfu = nullptr;
  const SweepRow* smallest = nullptr;  ///< where none fits: of those simulated
  const SweepRow* refused = nullptr;   ///< the first that was not simulated
};

/// The best of a sweep for each combination of two keys' values, whatever the others are.
struct SweepMap {
  std::size_t row_axis = 0;                ///< number in the grid
  std::optional<std::size_t> column_axis;  ///< none: one key is mapped alone
  std::vector<SweepMapCell> cells;         ///< row by row
};

/// A map for each pair of keys that are tried with more than one value, in the order of the grid;
/// where there is one such key alone, a map of it. Pairs with which the maps would have more than
/// `most_cells` cells together are left out.
std::vector<SweepMap> sweep_maps(const SweepGrid& grid, const std::vector<SweepRow>& rows,
                                 std::size_t most_cells);

/// A figure of a row.
using SweepFigure = std::function<double(const SweepRow&)>;

/// The rows that fit of which no other one has both figures as low and one of them lower; lowest
/// `across` first. Of rows with equal figures the first one is kept.
std::vector<const SweepRow*> pareto_front(const std::vector<SweepRow>& rows,
                                          const SweepFigure& across, const SweepFigure& up);

}  // namespace simtrain
