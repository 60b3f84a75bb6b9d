#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "sim/output/sweep/sweep_table.h"

namespace simtrain {

/// Rows that a sweep's page lists, at most; its data also hold those of its Pareto fronts.
inline constexpr std::size_t kMostPageRows = 10'000;

/// Ranges over all rows that fit.
struct SweepSpread {
  bool same_work = true;  ///< a step trains as many tokens in all of them
  bool same_gpus = true;  ///< all run on as many GPUs
};
SweepSpread sweep_spread(const std::vector<SweepRow>& rows);

/// The rows that a page lists, kMostPageRows at most: those that fit by step time, then those that
/// do not fit, then those that were not simulated, these in the order of the grid.
std::vector<const SweepRow*> page_rows(const std::vector<SweepRow>& rows);

/// What the charts and the table of a sweep's page draw (web/sweep_page.js).
nlohmann::ordered_json sweep_page_data(const SweepTable& table);

}  // namespace simtrain
