#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/run/results/report.h"

namespace simtrain {

/// A step in a chart of several: its breakdown, each share times `scale`.
struct ShareBar {
  std::string name;
  const Report& report;
  double scale = 1;
};

/// Where steps go, as drawShareBars (web/charts.js) draws it: shares that none of them has are left
/// out. `unit` follows the numbers.
nlohmann::ordered_json share_bars_json(const std::vector<ShareBar>& bars, std::string_view unit);

}  // namespace simtrain
