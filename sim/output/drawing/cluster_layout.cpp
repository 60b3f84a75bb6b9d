#include "sim/output/drawing/cluster_layout.h"

#include <algorithm>

namespace simtrain {
namespace {

constexpr std::size_t kAllDomains = 64;   // so many are all drawn one by one
constexpr std::size_t kSomeDomains = 32;  // of more than that
constexpr std::size_t kMostBoxes = 6;     // for the other units
constexpr double kDrawingWidth = 1220;    // of all units together, where squares allow it
constexpr double kLeastSquare = 7;
constexpr double kMostSquare = 19;

const Host& host(const ClusterMap& map, int index) {
  return map.hosts[static_cast<std::size_t>(index)];
}

/// A leaf is drawn above the first host that hangs on it; one without hosts where it was counted.
std::map<std::size_t, int> units_of_leaves(const ClusterMap& map) {
  std::map<std::size_t, int> units;
  for (const Cable& cable : map.cables) {
    if (map.kind(cable.low) == VertexKind::nic && map.kind(cable.high) == VertexKind::leaf)
      units.try_emplace(cable.high, host(map, map.devices[cable.low].group).unit);
  }
  for (std::size_t vertex = 0; vertex < map.devices.size(); ++vertex) {
    if (map.kind(vertex) == VertexKind::leaf) units.try_emplace(vertex, map.devices[vertex].group);
  }
  return units;
}

std::vector<DrawnUnit> all_units(const ClusterMap& map) {
  std::map<int, DrawnUnit> units;
  std::map<int, int> unit_of_domain;  // where its first host is
  for (std::size_t index = 0; index < map.hosts.size(); ++index) {
    const Host& here = map.hosts[index];
    const int unit = unit_of_domain.try_emplace(here.domain, here.unit).first->second;
    DrawnUnit& drawn = units[unit];
    if (drawn.domains.empty() || drawn.domains.back().domain != here.domain)
      drawn.domains.push_back({here.domain, {}});
    drawn.domains.back().hosts.push_back(static_cast<int>(index));
    ++drawn.hosts;
    drawn.gpus += here.gpus;
  }
  for (const auto& [leaf, unit] : units_of_leaves(map)) units[unit].leaves.push_back(leaf);
  std::vector<DrawnUnit> result;
  result.reserve(units.size());
  for (auto& [number, unit] : units) {
    unit.first = unit.last = number;
    result.push_back(std::move(unit));
  }
  return result;
}

/// One box for `rest`.
DrawnUnit merged(DrawnUnit first, const DrawnUnit& next) {
  first.last = next.last;
  first.hosts += next.hosts;
  first.gpus += next.gpus;
  first.leaves.insert(first.leaves.end(), next.leaves.begin(), next.leaves.end());
  return first;
}

/// GPUs beside each other in a host's box: two columns for a host alone, all of them for one of
/// many.
int columns(const ClusterMap& map, const DrawnDomain& domain) {
  int most = 1;
  for (const int index : domain.hosts) most = std::max(most, host(map, index).gpus);
  if (domain.hosts.size() > 1) return most;
  return most > 32 ? 8 : std::min(most, 2);
}

int rows(const ClusterMap& map, const DrawnDomain& domain) {
  if (domain.hosts.size() > 1) return static_cast<int>(domain.hosts.size());
  const int across = columns(map, domain);
  return (host(map, domain.hosts.front()).gpus + across - 1) / across;
}

}  // namespace

std::vector<DrawnUnit> drawn_units(const ClusterMap& map) {
  std::vector<DrawnUnit> units = all_units(map);
  std::size_t all = 0;
  for (const DrawnUnit& unit : units) all += unit.domains.size();
  const std::size_t most = all <= kAllDomains ? all : kSomeDomains;

  std::vector<DrawnUnit> result;
  std::size_t domains = 0;
  std::size_t boxes = 0;
  for (DrawnUnit& unit : units) {
    domains += unit.domains.size();
    if (result.empty() || domains <= most) {
      unit.domains.resize(std::min(unit.domains.size(), most));
      result.push_back(std::move(unit));
      continue;
    }
    domains = most;  // whatever comes is a box, small units too
    unit.whole = false;
    unit.domains.clear();
    if (++boxes > kMostBoxes) {
      result.back() = merged(std::move(result.back()), unit);
    } else {
      result.push_back(std::move(unit));
    }
  }
  return result;
}

double UnitSizes::domain_width(const ClusterMap& map, const DrawnDomain& domain) const {
  return columns(map, domain) * square + 2 * kDomainPadding - 1;
}

double UnitSizes::domain_height(const ClusterMap& map, const DrawnDomain& domain) const {
  return rows(map, domain) * row_height(domain) + 2 * kDomainPadding - 1;
}

double UnitSizes::unit_width(const ClusterMap& map, const DrawnUnit& unit) const {
  if (!unit.whole) return kBox;
  double width = 2 * kUnitPadding - kDomainGap;
  for (const DrawnDomain& domain : unit.domains) width += domain_width(map, domain) + kDomainGap;
  return std::max({width, kLabel, kLeastLeaf * static_cast<double>(unit.leaves.size())});
}

UnitSizes unit_sizes(const ClusterMap& map, const std::vector<DrawnUnit>& units) {
  double fixed = -UnitSizes::kUnitGap;
  double across = 0;
  for (const DrawnUnit& unit : units) {
    fixed += UnitSizes{0}.unit_width(map, unit) + UnitSizes::kUnitGap;
    for (const DrawnDomain& domain : unit.domains) across += columns(map, domain);
  }
  const double square = (kDrawingWidth - fixed) / std::max(across, 1.0);
  return {std::clamp(square, kLeastSquare, kMostSquare)};
}

Cell gpu_cell(const ClusterMap& map, const DrawnDomain& domain, std::size_t row, int local) {
  if (domain.hosts.size() > 1) return {local, static_cast<int>(row)};
  const int across = columns(map, domain);
  return {local % across, local / across};
}

}  // namespace simtrain
