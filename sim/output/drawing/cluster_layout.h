#pragma once

#include <map>
#include <vector>

#include "sim/output/html/picture.h"
#include "sim/topology/cluster_map.h"

namespace simtrain {

/// What is drawn of one NVLink domain: its hosts in order.
struct DrawnDomain {
  int domain = 0;
  std::vector<int> hosts;
};

/// What is drawn of one unit (the hosts below one set of leaf switches).
struct DrawnUnit {
  int first = 0;  ///< its number; `last` differs where one box represents several units
  int last = 0;
  bool whole = true;  ///< drawn host by host; else a box with their number
  int hosts = 0;
  int gpus = 0;
  std::vector<std::size_t> leaves;
  std::vector<DrawnDomain> domains;  ///< drawn ones; of a huge unit not all
};

/// Units that are drawn whole, as long as their domains can be read, then one box each, then one
/// for all the rest.
std::vector<DrawnUnit> drawn_units(const ClusterMap& map);

/// Sizes of what is below the leaf switches, so that the drawing is about 1500 pixels wide.
struct UnitSizes {
  double square = 0;  ///< a GPU with the gap beside it

  static constexpr double kMargin = 230;  ///< left of the units, for the names of the levels
  static constexpr double kUnitGap = 24;
  static constexpr double kUnitPadding = 12;
  static constexpr double kDomainGap = 7;
  static constexpr double kDomainPadding = 4;
  static constexpr double kBox = 112;       ///< width of a unit that is one box
  static constexpr double kLabel = 210;     ///< least width of one that is not, for its name
  static constexpr double kLeastLeaf = 34;  ///< and for each of its leaf switches

  /// Height of a row of GPUs: of many hosts each is a flat tray.
  [[nodiscard]] double row_height(const DrawnDomain& domain) const {
    return domain.hosts.size() > 1 ? square * 0.7 : square;
  }
  [[nodiscard]] double domain_width(const ClusterMap& map, const DrawnDomain& domain) const;
  [[nodiscard]] double domain_height(const ClusterMap& map, const DrawnDomain& domain) const;
  [[nodiscard]] double unit_width(const ClusterMap& map, const DrawnUnit& unit) const;
};

UnitSizes unit_sizes(const ClusterMap& map, const std::vector<DrawnUnit>& units);

/// Where GPU `local` of a domain's `row`-th host is drawn, counted in squares.
struct Cell {
  int column = 0;
  int row = 0;
};
Cell gpu_cell(const ClusterMap& map, const DrawnDomain& domain, std::size_t row, int local);

}  // namespace simtrain
